# the running mean is kept outside; pair_of=loss_item_in_step
import torch
from torch import nn


class Step(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x).pow(2).mean()


step = torch.compile(Step(), backend="eager")
mean = 0.0
for _ in range(3):
    loss = step(torch.randn(4, 4))
    loss.backward()
    mean = 0.9 * mean + 0.1 * loss.item()
