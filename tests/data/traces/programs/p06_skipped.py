"""Skipped frames: a break in a loop / with / try, so that the whole frame falls back."""
import logging
import threading

import torch

logger = logging.getLogger(__name__)
lock = threading.Lock()


@torch.compile(backend="eager")
def guarded(x):
    with lock:
        y = x + 1
    return y * 2


@torch.compile(backend="eager")
def looped(xs):
    total = xs[0]
    for x in xs:
        total = total + x
        torch._dynamo.graph_break()
    return total


@torch.compile(backend="eager")
def read(x):
    with open("/dev/null") as file:
        file.read()
        x = x + 1
    return x


for _ in range(2):
    guarded(torch.randn(3))
    looped([torch.randn(3), torch.randn(3)])
    read(torch.randn(3))
