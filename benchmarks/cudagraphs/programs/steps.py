"""Optimizers and training steps that are compiled."""

import torch
from torch import nn


def updated(x, weight, grad, rate):
    with torch.no_grad():
        weight -= rate * grad
    return x @ weight


def make_updated():
    return updated, [((torch.randn(3, 4), torch.randn(4, 4), torch.randn(4, 4), 0.1), {})]


class Stepped:
    """The step of an optimizer over one layer whose gradients are there."""

    def __init__(self, make):
        self.layer = nn.Linear(4, 4).to("cuda")
        for p in self.layer.parameters():
            p.grad = torch.ones_like(p)
        self.optimizer = make(self.layer.parameters())


def sgd_step():
    one = Stepped(lambda ps: torch.optim.SGD(ps, lr=0.1))

    def step():
        one.optimizer.step()

    return step


def make_sgd_step():
    return sgd_step(), [((), {})]


def adam_step():
    one = Stepped(lambda ps: torch.optim.Adam(ps, lr=0.1))

    def step():
        one.optimizer.step()

    return step


def make_adam_step():
    return adam_step(), [((), {})]


def adam_capturable_step():
    one = Stepped(lambda ps: torch.optim.Adam(ps, lr=0.1, capturable=True))

    def step():
        one.optimizer.step()

    return step


def make_adam_capturable_step():
    return adam_capturable_step(), [((), {})]


def adamw_fused_step():
    one = Stepped(lambda ps: torch.optim.AdamW(ps, lr=0.1, fused=True))

    def step():
        one.optimizer.step()

    return step


def make_adamw_fused_step():
    return adamw_fused_step(), [((), {})]


def adam_tensor_rate_step():
    one = Stepped(lambda ps: torch.optim.Adam(ps, lr=torch.tensor(0.1), capturable=True))

    def step():
        one.optimizer.step()

    return step


def make_adam_tensor_rate_step():
    return adam_tensor_rate_step(), [((), {})]


def averaged(weights, shadows):
    with torch.no_grad():
        for w, s in zip(weights, shadows, strict=True):
            s.lerp_(w, 0.1)
    return shadows[0].sum()


def make_averaged():
    return averaged, [(([torch.randn(4), torch.randn(4)], [torch.zeros(4), torch.zeros(4)]), {})]


def gradients_clipped(grads):
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in grads]))
    scale = (1.0 / (norm + 1e-6)).clamp(max=1.0)
    return [g * scale for g in grads]


def make_gradients_clipped():
    return gradients_clipped, [(([torch.randn(4), torch.randn(3)],), {})]


def gradients_clipped_in_place(grads):
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in grads]))
    scale = (1.0 / (norm + 1e-6)).clamp(max=1.0)
    for g in grads:
        g.mul_(scale)
    return norm


def make_gradients_clipped_in_place():
    return gradients_clipped_in_place, [(([torch.randn(4), torch.randn(3)],), {})]


def guided(x, scale):
    cond, uncond = x.chunk(2)
    return uncond + scale * (cond - uncond)


def make_guided():
    return guided, [((torch.randn(4, 3), 7.5), {}), ((torch.randn(4, 3), 5.0), {})]


def sampled(logits, temperature):
    probs = (logits / temperature).softmax(-1)
    return torch.multinomial(probs, 1)


def make_sampled():
    return sampled, [((torch.randn(2, 5), 0.8), {})]


def sampled_without_sync(logits):
    probs = logits.softmax(-1)
    q = torch.empty_like(probs).exponential_(1)
    return torch.argmax(probs / q, dim=-1, keepdim=True)


def make_sampled_without_sync():
    return sampled_without_sync, [((torch.randn(2, 5),), {})]


def diffused(x, noise, t):
    betas = torch.linspace(1e-4, 0.02, 10)
    alphas = torch.cumprod(1.0 - betas, 0).to(x.device)
    a = alphas[t].view(-1, 1)
    return a.sqrt() * x + (1 - a).sqrt() * noise


def make_diffused():
    return diffused, [((torch.randn(3, 4), torch.randn(3, 4), torch.tensor([1, 2, 3])), {})]


def diffused_table(x, noise, t, alphas):
    a = alphas[t].view(-1, 1)
    return a.sqrt() * x + (1 - a).sqrt() * noise


def make_diffused_table():
    return diffused_table, [
        ((torch.randn(3, 4), torch.randn(3, 4), torch.tensor([1, 2, 3]), torch.linspace(0.9, 0.1, 10)), {})
    ]


def stepped_from_table(x, eps, i):
    sigmas = torch.tensor([1.0, 0.5, 0.25, 0.0])
    return x + eps * (sigmas[i + 1] - sigmas[i])


def make_stepped_from_table():
    return stepped_from_table, [((torch.randn(3, 4), torch.randn(3, 4), 0), {})]


SIGMAS = [1.0, 0.5, 0.25, 0.0]


def stepped_from_list(x, eps, i):
    return x + eps * (SIGMAS[i + 1] - SIGMAS[i])


def make_stepped_from_list():
    return stepped_from_list, [((torch.randn(3, 4), torch.randn(3, 4), 0), {})]
