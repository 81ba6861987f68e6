# a dimension that the tensor does not have is marked, which has no effect
import torch
from torch import nn

model = torch.compile(nn.Linear(4, 4), backend="eager")
x = torch.randn(2, 4)
torch._dynamo.mark_dynamic(x, 2)
model(x)
