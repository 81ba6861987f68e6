# an attribute set on the wrapper is read by forward
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.return_features = False

    def forward(self, x):
        h = self.fc(x)
        if self.return_features:  #! recompile state
            return h, h.mean()
        return h


model = torch.compile(Net().eval(), backend="eager")
with torch.no_grad():
    model(torch.randn(2, 4))
    model.return_features = True  #! recompile state
    model(torch.randn(2, 4))
