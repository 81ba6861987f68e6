# the number of the layer is handed to one compiled function
import torch


@torch.compile(backend="eager")
def mix(x, i):
    if i % 2 == 0:
        return x + 1
    return x * 2


x = torch.randn(4)
for i, w in enumerate([0.1, 0.2, 0.3]):
    x = mix(x, i)  #! recompile input
