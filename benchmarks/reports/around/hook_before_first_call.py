# features are taken by a hook that is there before the first call, into an empty list
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
features = []
net.body.register_forward_hook(lambda m, i, o: features.append(o.detach()))  #! recompile state
fast = torch.compile(net, backend="eager")
fast(torch.ones(1, 4))  #! recompile state
fast(torch.ones(1, 4))  #! recompile state
print(len(features))
