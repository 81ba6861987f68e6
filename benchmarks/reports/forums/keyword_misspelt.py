# a keyword of compile is written in another way
import torch
from torch import nn

model = nn.Linear(4, 4)
model = torch.compile(model, backend="eager", full_graph=True)  #! error
model(torch.randn(2, 4))
