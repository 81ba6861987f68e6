# sizes come from a table of a benchmark
import torch
from torch import nn

SHAPES = {"small": (1, 3, 32, 32), "large": (1, 3, 64, 64)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return self.conv(x)


def bench(fn, shapes):
    times = {}
    for name, shape in shapes.items():
        x = torch.randn(*shape)
        times[name] = fn(x).mean().item()  #! recompile input
    return times


bench(torch.compile(Net(), backend="eager"), SHAPES)
