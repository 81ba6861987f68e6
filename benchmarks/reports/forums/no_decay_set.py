# a set of whole names decides which parameters decay
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = nn.Parameter(torch.ones(1))
        self.fc = nn.Linear(4, 2)

    def no_weight_decay(self):
        return {"temperature"}

    def forward(self, x):
        return self.fc(x) / self.temperature


model = torch.compile(Net(), backend="eager")
skip = model.no_weight_decay()
decay, no_decay = [], []
for name, p in model.named_parameters():
    if p.ndim == 1 and name in skip:  #! wrong
        no_decay.append(p)
    else:
        decay.append(p)
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": no_decay, "weight_decay": 0.0}])
print(len(decay), len(no_decay))
model(torch.randn(2, 4)).sum().backward()
opt.step()
