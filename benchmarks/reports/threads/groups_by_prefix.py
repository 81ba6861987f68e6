# parameters are put into groups by the start of their name
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
    if name.startswith("backbone"):  #! wrong
        slow.append(p)
    else:
        fast.append(p)
print(len(slow), len(fast))
groups = [{"params": g, "lr": lr} for g, lr in ((slow, 1e-4), (fast, 1e-3)) if g]
opt = torch.optim.AdamW(groups)
model(torch.randn(2, 4)).sum().backward()
opt.step()
