# features are taken by a hook that comes after a warm-up
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x))


net = Net()
fast = torch.compile(net, backend="eager")
fast(torch.ones(1, 4))
features = []
net.body.register_forward_hook(lambda m, i, o: features.append(o.detach()))  #! wrong
fast(torch.ones(1, 4))
print(len(features))
