# the numerical check gives doubles to the same compiled function
import torch


@torch.compile(backend="eager")
def gelu(x):
    return 0.5 * x * (1 + torch.erf(x / 2**0.5))


def train():
    for _ in range(3):
        gelu(torch.randn(8))  #! recompile input


def check():
    x = torch.randn(8, dtype=torch.float64)
    return gelu(x)  #! recompile input


train()
check()
