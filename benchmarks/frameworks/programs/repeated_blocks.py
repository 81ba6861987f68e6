import torch
from torch import nn
from diffusers import ModelMixin
from diffusers.configuration_utils import ConfigMixin, register_to_config


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(dim, dim)

    def forward(self, x):
        print("block")
        return self.lin(x)


class Net(ModelMixin, ConfigMixin):
    _repeated_blocks = ["Block"]

    @register_to_config
    def __init__(self, dim: int = 4):
        super().__init__()
        self.blocks = nn.ModuleList([Block(dim) for _ in range(2)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        if x.sum() > 0:
            x = x + 1
        return x


net = Net()
net.compile_repeated_blocks(backend="eager")
net(torch.randn(2, 4))
