# the loss is checked for NaN in a fullgraph step
import torch
from torch import nn

net = nn.Linear(4, 1)


@torch.compile(fullgraph=True, backend="eager")
def loss_of(x):
    loss = net(x).mean()
    if torch.isnan(loss):  #! error
        raise FloatingPointError("loss is NaN")
    return loss


loss_of(torch.randn(2, 4)).backward()
