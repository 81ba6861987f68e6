"""Inductor on the CPU: the second compile hits the caches."""
import torch


def gelu(x, w):
    return torch.nn.functional.gelu(x @ w) + x.sum()


a = torch.compile(gelu)
x, w = torch.randn(8, 8), torch.randn(8, 8, requires_grad=True)
a(x, w).sum().backward()
torch._dynamo.reset()
b = torch.compile(gelu, mode="reduce-overhead")
b(x, w).sum().backward()
