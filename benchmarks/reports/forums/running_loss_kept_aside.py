# a running mean of the loss is kept in the trainer; pair_of=running_loss_on_model
import torch
from torch import nn


class Robust(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)
        self.scale = 1.0
        self.history = []

    def forward(self, x):
        return (self.fc(x) / self.scale).square().mean()


model = Robust()
compiled = torch.compile(model, backend="eager")
running = 1.0
for _ in range(5):
    loss = compiled(torch.randn(8, 4))
    loss.backward()
    running = 0.9 * running + 0.1 * loss.item()
    model.history.append(running)
