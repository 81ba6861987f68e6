# reentrant checkpointing around compiled blocks runs them twice, without and with gradients
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return x + self.fc(x).relu()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.block = torch.compile(Block(), backend="aot_eager")

    def forward(self, x):
        return checkpoint(self.block, self.stem(x), use_reentrant=True)  #! recompile state


net = Net()
for _ in range(2):
    net(torch.randn(2, 4)).sum().backward()
