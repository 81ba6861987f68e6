# a table of constants is made in each call
# thread: pytorch/pytorch#180406: a buffer of the module
# help: buffer | __init__
import numpy as np
import torch
from torch import nn


class Normalize(nn.Module):
    def forward(self, x):
        mean = torch.from_numpy(np.loadtxt(["0.5", "0.4", "0.3"]))  #! break
        return x - mean[:, None]


net = torch.compile(Normalize(), backend="eager")
print(net(torch.ones(3, 2)))
