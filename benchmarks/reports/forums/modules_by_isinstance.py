# layers are found by isinstance among all modules of a compiled model
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.n = nn.LayerNorm(4)
        self.b = nn.Linear(4, 2)

    def forward(self, x):
        return self.b(self.n(self.a(x)))


model = torch.compile(Net(), backend="eager")
decay, rest = [], []
for m in model.modules():
    if isinstance(m, nn.Linear):
        decay += [m.weight]
        rest += [m.bias]
    elif isinstance(m, nn.LayerNorm):
        rest += list(m.parameters())
print(len(decay), len(rest))
opt = torch.optim.AdamW([{"params": decay}, {"params": rest, "weight_decay": 0.0}], lr=1e-3)
model(torch.randn(2, 4)).sum().backward()
opt.step()
