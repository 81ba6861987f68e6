# compiling is off by the default of an option
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--compile", action="store_true")
args = parser.parse_args([])
net = nn.Linear(4, 4)
if args.compile:
    net = torch.compile(net, backend="eager")
for n in (2, 3):
    net(torch.randn(n, 4))
