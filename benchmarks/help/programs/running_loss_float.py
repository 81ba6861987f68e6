# a moving average of the loss is a float of the module
# thread: pytorch/pytorch#128319: keep it in a buffer
# help: buffer | tensor
import torch
from torch import nn


class Normalised(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1.0

    def forward(self, loss, decay):
        out = loss / self.scale  #! recompile state
        self.scale = self.scale * decay + 0.1
        return out


net = torch.compile(Normalised(), backend="eager")
for _ in range(4):
    print(net(torch.tensor(2.0), 0.5))  #! recompile state
