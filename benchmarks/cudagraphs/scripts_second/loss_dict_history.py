from collections import defaultdict

import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU())
        self.cls, self.box = nn.Conv2d(8, 5, 1), nn.Conv2d(8, 4, 1)

    def forward(self, x, labels, boxes):
        h = self.body(x)
        return {
            "cls": nn.functional.cross_entropy(self.cls(h), labels),
            "box": (self.box(h) - boxes).abs().mean(),
        }


net = Detector().cuda()
model = torch.compile(net, mode="reduce-overhead")
opt = torch.optim.SGD(net.parameters(), 1e-2)
history = defaultdict(list)
for _ in range(8):
    x = torch.randn(4, 3, 16, 16, device="cuda")
    losses = model(x, torch.randint(0, 5, (4, 8, 8), device="cuda"), torch.randn(4, 4, 8, 8, device="cuda"))
    opt.zero_grad()
    sum(losses.values()).backward()
    opt.step()
    for name, value in losses.items():
        history[name].append(value.detach())
print({name: torch.stack(values).mean().item() for name, values in history.items()})
