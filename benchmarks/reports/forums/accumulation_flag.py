# a boolean says whether this is the last of the micro batches
import torch
from torch import nn

ACCUM = 3
model = nn.Linear(4, 1)


@torch.compile(backend="eager")
def compute(x, is_last):
    y = model(x).square().mean()
    if is_last:
        y = y + 1e-3 * model.weight.square().sum()
    return y / ACCUM


for step in range(6):
    loss = compute(torch.randn(2, 4), is_last=(step + 1) % ACCUM == 0)  #! recompile input
    loss.backward()
