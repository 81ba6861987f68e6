# the learning rate is a tensor; pair_of=lr_float_in_step
import math

import torch


@torch.compile(backend="eager")
def update(p, g, lr):
    return p - lr * g


p = torch.randn(4)
for step in range(5):
    lr = torch.tensor(0.5 * (1 + math.cos(math.pi * step / 5)))
    p = update(p, torch.randn(4), lr)
