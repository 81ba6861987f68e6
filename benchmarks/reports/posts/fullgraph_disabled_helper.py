# fullgraph, and a helper that was disabled for compilation is called inside
import torch
from torch import nn


@torch.compiler.disable
def normalize(x):
    return (x - x.mean()) / x.std()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(normalize(x))  #! error


model = torch.compile(Net(), fullgraph=True, backend="eager")
model(torch.randn(2, 4))
