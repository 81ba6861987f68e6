# a warm-up in float32, the run in bfloat16
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return (x * x).sum(-1)


net = torch.compile(Net(), backend="eager")
net(torch.randn(4, 8))  #! recompile input
net(torch.randn(4, 8, dtype=torch.bfloat16))  #! recompile input
