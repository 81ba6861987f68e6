# the batch size is doubled until it does not fit
import torch
from torch import nn


def find_batch_size(model, start=2, limit=16):
    size = start
    while size <= limit:
        try:
            model(torch.randn(size, 4)).sum().backward()  #! recompile input
        except RuntimeError:
            break
        size *= 2
    return size // 2


best = find_batch_size(torch.compile(nn.Linear(4, 4), backend="eager"))
print(best)
