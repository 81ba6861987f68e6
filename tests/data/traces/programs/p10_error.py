"""An error in the backend, a fullgraph error, and a break in a called helper of another module."""
import torch
from p10_helper import clipped


@torch.compile(fullgraph=True, backend="eager")
def strict(x):
    return x + x.sum().item() if x.max() > 0 else x


def failing(gm, inputs):
    raise RuntimeError("no such backend today")


@torch.compile(backend="eager")
def train(x, limit):
    return clipped(x, limit) * 2


try:
    strict(torch.randn(3))
except Exception as error:
    print(type(error).__name__)
try:
    torch.compile(lambda x: x + 1, backend=failing)(torch.randn(3))
except Exception as error:
    print(type(error).__name__)
for n in range(3):
    train(torch.randn(4), 0.5 + n)
