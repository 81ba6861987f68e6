# the loss is checked outside of the compiled step; pair_of=raise_on_nan
import torch
from torch import nn

net = nn.Linear(4, 1)


@torch.compile(fullgraph=True, backend="eager")
def loss_of(x):
    return net(x).mean()


for _ in range(2):
    loss = loss_of(torch.randn(2, 4))
    if torch.isnan(loss):
        raise FloatingPointError("loss is NaN")
    loss.backward()
