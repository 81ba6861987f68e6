# the decay of an average grows with the number of steps
import torch
from torch import nn


@torch.compile(backend="eager")
@torch.no_grad()
def update(ema, params, decay):
    for e, p in zip(ema, params):
        e.mul_(decay).add_(p, alpha=1 - decay)


net = nn.Linear(4, 4)
avg = [p.detach().clone() for p in net.parameters()]
for step in range(4):
    decay = min(0.999, (1 + step) / (10 + step))
    update(avg, [p.detach() for p in net.parameters()], decay)  #! recompile input
