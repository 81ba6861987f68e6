# a number of the module is set between two calls
import torch

SCALE = 1.0


@torch.compile(backend="eager")
def scaled(x):
    return x * SCALE


def run():
    global SCALE
    for value in (1.0, 0.5, 0.25):
        SCALE = value  #! recompile state
        scaled(torch.ones(3))  #! recompile state


run()
