# a mode that does not exist
import torch
from torch import nn

net = torch.compile(nn.Linear(4, 4), mode="max_autotune")  #! error
net(torch.ones(1, 4))
