# a submodule of the compiled model is fetched by its path
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.encoder(x))


model = torch.compile(Net(), backend="eager")
for path in ("encoder.0", "head"):
    layer = dict(model.named_modules())[path]  #! error
    nn.init.zeros_(layer.bias)
model(torch.randn(2, 4))
