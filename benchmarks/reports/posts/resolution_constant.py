# the schedule of sizes has one size; pair_of=resolution_schedule
import torch
from torch import nn

SCHEDULE = [(0, 8)]


def size_at(epoch):
    return next(size for start, size in reversed(SCHEDULE) if epoch >= start)


net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
model = torch.compile(net, backend="eager")
for epoch in range(4):
    side = size_at(epoch)
    model(torch.randn(2, 3, side, side)).sum().backward()
