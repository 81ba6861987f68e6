# the backbone is frozen before the first call; pair_of=unfreeze_backbone
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
net.backbone.requires_grad_(False)
fast = torch.compile(net, backend="eager")
for epoch in range(3):
    fast(torch.randn(2, 4)).mean().backward()
