# the limit of recompilation is set by its old name
import torch
from torch import nn

torch._dynamo.config.cache_size_limit = 32


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net(), backend="eager")
for _ in range(3):
    model(torch.randn(2, 4))
