"""Control flow inside and outside of the graph."""

import torch
from torch import nn


def both_arms(x):
    return torch.cond(x.sum() > 0, lambda t: t * 2, lambda t: t - 1, (x,))


def make_both_arms():
    return both_arms, [((torch.randn(3, 4),), {})]


def where_instead(x):
    return torch.where(x.sum() > 0, x * 2, x - 1)


def make_where_instead():
    return where_instead, [((torch.randn(3, 4),), {})]


class ArmsOfModules(nn.Module):
    def __init__(self):
        super().__init__()
        self.small = nn.Linear(4, 4)
        self.large = nn.Linear(4, 4)

    def forward(self, x):
        return torch.cond(x.mean() > 0, lambda t: self.small(t), lambda t: self.large(t), (x,))


def make_arms_of_modules():
    return ArmsOfModules(), [((torch.randn(3, 4),), {})]


def arms_of_size(x):
    return torch.cond(x.shape[0] > 2, lambda t: t * 2, lambda t: t - 1, (x,))


def make_arms_of_size():
    return arms_of_size, [((torch.randn(3, 4),), {})]


def loop_on_data(x):
    from torch._higher_order_ops.while_loop import while_loop

    return while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t * 2), (torch.zeros((), device=x.device), x))[1]


def make_loop_on_data():
    return loop_on_data, [((torch.randn(3, 4),), {})]


def loop_of_python(x):
    for _ in range(3):
        x = x * 2
    return x


def make_loop_of_python():
    return loop_of_python, [((torch.randn(3, 4),), {})]


def mapped(x):
    from torch._higher_order_ops.map import map as torch_map

    return torch_map(lambda t: t.sin() + 1, x)


def make_mapped():
    return mapped, [((torch.randn(3, 4),), {})]


def vectorized(x):
    return torch.vmap(lambda t: t.sin() + 1)(x)


def make_vectorized():
    return vectorized, [((torch.randn(3, 4),), {})]


def branch_on_data(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


def make_branch_on_data():
    return branch_on_data, [((torch.randn(3, 4),), {})]


def read_in_the_middle(x):
    y = x * 2
    scale = y.max().item()
    return y / (scale + 1)


def make_read_in_the_middle():
    return read_in_the_middle, [((torch.randn(3, 4),), {})]


def checked_size(x):
    torch._check(x.shape[0] > 1, lambda: "too small")
    return x * 2


def make_checked_size():
    return checked_size, [((torch.randn(3, 4),), {})]


def asserted_on_device(x):
    torch._assert_async((x < 100).all())
    return x * 2


def make_asserted_on_device():
    return asserted_on_device, [((torch.randn(3, 4),), {})]


def print_between(x):
    y = x * 2
    print("here")
    return y + 1


def make_print_between():
    return print_between, [((torch.randn(3, 4),), {})]


def checkpointed(x, weight):
    from torch.utils.checkpoint import checkpoint

    return checkpoint(lambda t: torch.relu(t @ weight), x, use_reentrant=False)


def make_checkpointed():
    return checkpointed, [((torch.randn(3, 4), torch.randn(4, 4)), {})]


def checkpointed_random(x, weight):
    from torch.utils.checkpoint import checkpoint

    return checkpoint(lambda t: torch.dropout(t @ weight, 0.5, True), x, use_reentrant=False)


def make_checkpointed_random():
    return checkpointed_random, [((torch.randn(3, 4), torch.randn(4, 4)), {})]


def scanned(x):
    from torch._higher_order_ops.scan import scan

    return scan(lambda c, t: (c + t, c * 2), torch.zeros(4, device=x.device), x)[1]


def make_scanned():
    return scanned, [((torch.randn(3, 4),), {})]


def running_sum(x):
    return torch.cumsum(x, 0)


def make_running_sum():
    return running_sum, [((torch.randn(3, 4),), {})]


def without_gradient(x):
    with torch.no_grad():
        return x * 2


def make_without_gradient():
    return without_gradient, [((torch.randn(3, 4),), {})]


def half_precision(x, weight):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return x @ weight


def make_half_precision():
    return half_precision, [((torch.randn(3, 4), torch.randn(4, 4)), {})]
