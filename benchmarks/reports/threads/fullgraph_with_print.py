# the whole graph is wanted and forward prints
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.verbose = True

    def forward(self, x):
        y = self.fc(x)
        if self.verbose:
            print("mean", y.mean().item())  #! error
        return y


model = torch.compile(Net(), fullgraph=True, backend="eager")
with torch.no_grad():
    model(torch.randn(2, 4))
