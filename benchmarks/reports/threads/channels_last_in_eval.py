# training is contiguous, validation in channels last
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x):
        return self.conv(x).relu()


def run_epoch(model, batches, channels_last):
    for x in batches:
        if channels_last:
            x = x.to(memory_format=torch.channels_last)
        model(x)  #! recompile input


net = torch.compile(Net(), backend="eager")
train = [torch.randn(2, 3, 8, 8) for _ in range(3)]
val = [torch.randn(2, 3, 8, 8) for _ in range(2)]
run_epoch(net, train, channels_last=False)
run_epoch(net, val, channels_last=True)
