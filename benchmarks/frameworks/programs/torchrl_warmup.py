import torch
from torchrl._utils import compile_with_warmup


def update(x):
    print("here")
    return x * 2


update = compile_with_warmup(update, warmup=1, backend="eager")
for _ in range(4):
    update(torch.randn(3))
