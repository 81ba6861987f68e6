# weights are initialized by apply on the compiled model
import torch
from torch import nn


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.xavier_uniform_(m.weight)
        nn.init.zeros_(m.bias)


model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
model = torch.compile(model, backend="eager")
model.apply(init_weights)
for _ in range(3):
    model(torch.randn(2, 4)).sum().backward()
