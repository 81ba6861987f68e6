# a coin decides outside whether the input is flipped; pair_of=gated_by_random
import random

import torch

random.seed(3)


@torch.compile(backend="eager")
def augment(x):
    return x * 2


for _ in range(8):
    x = torch.randn(2, 4)
    if random.random() < 0.5:
        x = x.flip(-1)
    augment(x)
