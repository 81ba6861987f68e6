# the model of a flag is compiled, and data decide in its forward
import argparse

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        h = self.lin(x)
        if h.abs().max() > 10:  #! break
            h = h / 10
        return h


parser = argparse.ArgumentParser()
parser.add_argument("--no-compile", dest="compile", action="store_false")
args = parser.parse_args([])
net = Net()
if args.compile:
    net = torch.compile(net, backend="eager")
net(torch.randn(2, 4))
