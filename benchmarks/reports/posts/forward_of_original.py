# the loop calls forward of the original module kept by the wrapper
import torch
from torch import nn

model = torch.compile(nn.Linear(4, 1), backend="eager")  #! slow
for _ in range(2):
    getattr(model, "_orig_mod", model)(torch.randn(2, 4)).mean().backward()  #! slow
