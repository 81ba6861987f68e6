# the batch size comes from the command line
import argparse

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--steps", type=int, default=3)
    args = parser.parse_args([])
    net = torch.compile(Net(), backend="eager")
    for _ in range(args.steps):
        net(torch.randn(args.batch, 4)).sum().backward()


main()
