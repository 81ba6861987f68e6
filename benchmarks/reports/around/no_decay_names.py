# groups of the optimizer are made by names that begin with a part
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.backbone(x))


net = torch.compile(Net(), backend="eager")
slow = [p for n, p in net.named_parameters() if n.startswith("backbone")]  #! wrong
rest = [p for n, p in net.named_parameters() if not n.startswith("backbone")]  #! wrong
print(len(slow), len(rest))
net(torch.ones(1, 4))
