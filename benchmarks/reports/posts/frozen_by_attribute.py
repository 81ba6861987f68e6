# the backbone is frozen by its attribute; pair_of=frozen_by_prefix
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.backbone(x))


def freeze(part):
    for p in part.parameters():
        p.requires_grad_(False)


model = torch.compile(Net(), backend="eager")
freeze(model.backbone)
model(torch.randn(2, 4)).sum().backward()
print(sorted(p.grad is None for p in model.parameters()))
