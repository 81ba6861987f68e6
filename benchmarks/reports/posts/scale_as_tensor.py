# the scale stays a tensor; pair_of=fp16_grad_scaler_item
import torch
from torch import nn

net = nn.Linear(4, 1)
scale = torch.tensor(128.0)


@torch.compile(fullgraph=True, backend="eager")
def scaled(x, factor):
    return net(x).mean() * factor


for _ in range(3):
    scaled(torch.randn(2, 4), scale).backward()
    scale.mul_(2)
