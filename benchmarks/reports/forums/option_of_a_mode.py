# an option is written with a hyphen, which is accepted
import torch
from torch import nn

model = nn.Linear(4, 4)
model = torch.compile(model, options={"max-autotune": True})
model(torch.randn(2, 4))
