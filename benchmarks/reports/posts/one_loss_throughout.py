# the loss stays the same; pair_of=switch_between_losses
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Linear(4, 4)


@torch.compile(backend="eager")
def step(x, y, criterion):
    return criterion(net(x), y)


for epoch in range(4):
    criterion = F.l1_loss
    step(torch.randn(2, 4), torch.randn(2, 4), criterion).backward()
