# the backbone is trained from the second epoch on
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(4, 4)
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        return self.head(self.backbone(x).relu())


net = Net()
for p in net.backbone.parameters():
    p.requires_grad = False
fast = torch.compile(net, backend="eager")
for epoch in range(3):
    if epoch == 1:
        for p in net.backbone.parameters():
            p.requires_grad = True  #! recompile state
    fast(torch.randn(2, 4)).mean().backward()  #! recompile state
