# a timer is entered around a part of the loss
# thread: pytorch/rl#3297: enter no timer while torch compiles, or time the call from outside
# help: outside | is_compiling
import time

import torch


class timeit:
    totals = {}

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.start = time.perf_counter()

    def __exit__(self, *_):
        timeit.totals[self.name] = time.perf_counter() - self.start


def loss(x):
    with timeit("advantage"):  #! break
        advantage = x - x.mean()
    return (advantage**2).mean()


fast = torch.compile(loss, backend="eager")
print(fast(torch.arange(4.0)))
