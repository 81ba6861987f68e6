# a running mean of the loss is a number on the model that forward reads
import torch
from torch import nn


class Robust(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)
        self.scale = 1.0

    def forward(self, x):
        return (self.fc(x) / self.scale).square().mean()  #! recompile state


model = Robust()
compiled = torch.compile(model, backend="eager")
for _ in range(5):
    loss = compiled(torch.randn(8, 4))  #! recompile state
    loss.backward()
    model.scale = 0.9 * model.scale + 0.1 * loss.item()  #! recompile state
