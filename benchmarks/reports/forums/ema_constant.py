# the decay of an average is a constant; pair_of=ema_with_warmup
import torch
from torch import nn

DECAY = 0.999


@torch.compile(backend="eager")
@torch.no_grad()
def update(ema, params, decay):
    for e, p in zip(ema, params):
        e.mul_(decay).add_(p, alpha=1 - decay)


net = nn.Linear(4, 4)
avg = [p.detach().clone() for p in net.parameters()]
for step in range(4):
    decay = min(DECAY, 1.0)
    update(avg, [p.detach() for p in net.parameters()], decay)
