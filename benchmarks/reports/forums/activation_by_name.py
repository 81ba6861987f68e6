# blocks of one class look their activation up by its name
import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.act = act

    def forward(self, x):
        return getattr(F, self.act)(self.fc(x))  #! recompile instance


net = nn.Sequential(*[Block(a) for a in ("relu", "gelu", "silu")])
for block in net:
    block.compile(backend="eager")  #! recompile instance
net(torch.randn(2, 4))  #! recompile instance
