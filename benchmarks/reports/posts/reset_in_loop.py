# everything compiled is thrown away in every round of a search
import torch
import torch._dynamo
from torch import nn

model = torch.compile(nn.Linear(4, 4), backend="eager")
for trial in range(3):
    torch._dynamo.reset()  #! slow
    model(torch.randn(2, 4))
