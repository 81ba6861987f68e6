# a context manager counts how deep it is in a global
# thread: pytorch/pytorch#133483: contextlib's managers; enter it around the call
# help: around | outside | before
import contextlib

import torch

depth = 0


@contextlib.contextmanager
def deeper():
    global depth
    depth += 1
    try:
        yield
    finally:
        depth -= 1
        print("left")  #! break


@torch.compile(backend="eager")
def scaled(x):
    with deeper():
        y = x * depth
    return y + 1


print(scaled(torch.ones(3)))
