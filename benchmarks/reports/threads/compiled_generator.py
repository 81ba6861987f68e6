# a generator function is compiled
import torch
from torch import nn

proj = nn.Linear(4, 4)


@torch.compile(backend="eager")  #! slow
def refine(x):  #! slow
    for _ in range(3):
        x = x + proj(x)
        yield x


with torch.no_grad():
    for y in refine(torch.randn(2, 4)):
        print(y.shape)
