# a kernel is looked for in a folder of the disk
# thread: flashinfer-ai/flashinfer#2733: look it up before, or register a custom operator
# help: before | outside | custom_op | __init__
import functools
import pathlib

import torch


def kernel_of(name):
    if pathlib.Path("/nonexistent", name).exists():  #! break
        raise RuntimeError("built")
    return torch.rsqrt


def rmsnorm(x, weight):
    return x * kernel_of("norm")((x * x).mean(-1, keepdim=True) + 1e-6) * weight


fast = torch.compile(rmsnorm, backend="eager")
print(fast(torch.ones(2, 4), torch.ones(4)))
