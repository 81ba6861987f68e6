# a partial over a compiled function is made and compiled for each request
from functools import partial

import torch


def scale(x, by):
    return x * by


def handle(x, by):
    fast = torch.compile(partial(scale, by=by), backend="eager")  #! slow, recompile input
    return fast(x)  #! slow, recompile input


for by in (2, 3, 5):
    handle(torch.randn(3), by)  #! recompile input
