# an optimizer orthogonalizes gradients of weights that are alike; pair_of=orthogonalize_each_weight
import torch
from torch import nn


@torch.compile(backend="eager")
def zeropower(g, steps=5):
    x = g / (g.norm() + 1e-7)
    for _ in range(steps):
        a = x @ x.T
        x = 1.5 * x - 0.5 * a @ x
    return x


class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr=0.02):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                p.add_(zeropower(p.grad), alpha=-group["lr"])


model = nn.Sequential(nn.Linear(8, 8, bias=False), nn.ReLU(), nn.Linear(8, 8, bias=False))
opt = Muon(model.parameters())
for _ in range(2):
    model(torch.randn(3, 8)).square().mean().backward()
    opt.step()
    opt.zero_grad()
