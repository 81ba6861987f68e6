# the backbone is frozen by the prefix of its parameters
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.backbone(x))


def freeze(model, prefix):
    for name, p in model.named_parameters():
        if name.startswith(prefix):  #! wrong
            p.requires_grad_(False)


model = torch.compile(Net(), backend="eager")
freeze(model, "backbone")  #! wrong
model(torch.randn(2, 4)).sum().backward()
print(sorted(p.grad is None for p in model.parameters()))
