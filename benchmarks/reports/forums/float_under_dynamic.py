# a float differs from call to call, and everything is asked to be dynamic
import torch


@torch.compile(dynamic=True, backend="eager")
def scale(x, y):
    return x * y


x = torch.randn(10, 10)
scale(x, 1.5)
scale(x, 2.5)
scale(x, 3.5)
