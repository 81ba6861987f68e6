# a cache on the module is emptied before each sequence
import torch
from torch import nn


class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.prev = None

    def forward(self, x):
        if self.prev is None:  #! recompile state
            self.prev = torch.zeros_like(x)  #! recompile state
        y = self.fc(x + self.prev)
        self.prev = y.detach()  #! recompile state
        return y

    def reset(self):
        self.prev = None  #! recompile state


net = Causal()
step = torch.compile(net, backend="eager")
for seq in range(2):
    net.reset()  #! recompile state
    for frame in torch.randn(3, 1, 4):
        step(frame)  #! recompile state
