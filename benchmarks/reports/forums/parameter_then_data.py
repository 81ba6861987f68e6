# a weight is given as a parameter and as its data
import torch
from torch import nn


@torch.compile(backend="eager")
def normalize(w):
    return w / w.norm(dim=1, keepdim=True)


layer = nn.Linear(4, 3)
a = normalize(layer.weight)  #! recompile input
a.sum().backward()
with torch.no_grad():
    b = normalize(layer.weight.data)  #! recompile input
