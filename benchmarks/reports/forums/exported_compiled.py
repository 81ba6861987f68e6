# the compiled model is exported
import torch
from torch import nn

model = torch.compile(nn.Linear(4, 2), backend="eager").eval()
x = torch.randn(1, 4)
model(x)
program = torch.export.export(model, (x,))
print(type(program).__name__)
