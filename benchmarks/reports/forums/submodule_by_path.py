# a layer is looked up by get_submodule, which the wrapper passes on; pair_of=module_by_name
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.features(x))


net = torch.compile(Net(), backend="eager")
net(torch.randn(2, 4))
layer = net.get_submodule("features.0")
print(layer.weight.shape)
