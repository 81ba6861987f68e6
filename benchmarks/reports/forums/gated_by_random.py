# a coin decides in each step whether the input is flipped inside
import random

import torch

random.seed(3)


@torch.compile(backend="eager")
def augment(x, flip):
    if flip:
        x = x.flip(-1)
    return x * 2


for _ in range(8):
    augment(torch.randn(2, 4), flip=random.random() < 0.5)  #! recompile input
