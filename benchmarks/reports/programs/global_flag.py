# a global switch is set between calls
import torch

DEBUG_SCALE = 1


@torch.compile(backend="eager")
def f(x):
    return x * DEBUG_SCALE


x = torch.randn(3)
f(x)  #! recompile state
DEBUG_SCALE = 2  #! recompile state
f(x)  #! recompile state
