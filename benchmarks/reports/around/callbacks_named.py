# one of two functions is given to the compiled step
import torch


def square(x):
    return x * x


def cube(x):
    return x * x * x


@torch.compile(backend="eager")
def step(x, fn):
    return fn(x) + 1


for fn in (square, cube):
    step(torch.ones(3), fn)  #! recompile input
