# parameters are put into groups by a part of their name; pair_of=groups_by_prefix
import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(4, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.backbone(x).relu())


model = torch.compile(Detector(), backend="eager")
slow, fast = [], []
for name, p in model.named_parameters():
    if "backbone" in name:
        slow.append(p)
    else:
        fast.append(p)
print(len(slow), len(fast))
opt = torch.optim.AdamW([{"params": slow, "lr": 1e-4}, {"params": fast, "lr": 1e-3}])
model(torch.randn(2, 4)).sum().backward()
opt.step()
