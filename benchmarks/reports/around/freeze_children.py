# all children but the head are frozen
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        return self.head(self.body(x)).mean()


net = torch.compile(Net(), backend="eager")
for name, child in net.named_children():  #! error
    if name != "head":  #! error
        child.requires_grad_(False)
net(torch.ones(2, 4)).backward()
