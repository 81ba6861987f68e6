# activations are collected by a hook that is there before the first call; the dictionary is empty at first
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 2)

    def forward(self, x):
        return self.b(self.a(x).relu())


features = {}


def keep(name):
    def hook(module, args, output):
        features[name] = output.detach()  #! recompile state

    return hook


net = Net()
net.a.register_forward_hook(keep("a"))
model = torch.compile(net, backend="eager")
for _ in range(2):
    model(torch.randn(2, 4))
    print(features["a"].shape)
