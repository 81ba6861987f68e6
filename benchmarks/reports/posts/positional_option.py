# the mode is given where fullgraph stands
import torch
from torch import nn

model = torch.compile(nn.Linear(4, 4), "reduce-overhead")  #! error
model(torch.randn(2, 4))
