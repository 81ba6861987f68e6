# a batch is a dictionary that has labels in training only
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 2)

    def forward(self, batch):
        out = self.lin(batch["x"])
        if "y" in batch:
            return ((out - batch["y"]) ** 2).mean()
        return out


net = torch.compile(Net(), backend="eager")
train = {"x": torch.randn(3, 4), "y": torch.randn(3, 2)}
test = {"x": torch.randn(3, 4)}
loss = net(train)  #! recompile input
pred = net(test)  #! recompile input
