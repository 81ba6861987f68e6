# the compiled step reads its loss for a running mean
import torch
from torch import nn


class Step(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)
        self.mean = 0.0

    def forward(self, x):
        loss = self.fc(x).pow(2).mean()
        self.mean = 0.9 * self.mean + 0.1 * loss.item()  #! break
        return loss


step = torch.compile(Step(), backend="eager")
for _ in range(3):
    step(torch.randn(4, 4)).backward()
