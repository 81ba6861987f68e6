# the same batches without marks
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x, weight):
        return (self.fc(x).squeeze(-1) * weight).mean()


model = torch.compile(Net(), backend="eager")
for n in (3, 5, 8):
    batch = {"x": torch.randn(n, 4), "weight": torch.rand(n)}
    model(**batch).backward()  #! recompile input
