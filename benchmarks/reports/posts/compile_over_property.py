# torch.compile stands above property
import torch
from torch import nn


class Kernel(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(3))

    @torch.compile(backend="eager")  #! error
    @property
    def scale(self):
        return self.log_scale.exp()

    def forward(self, x):
        return x * self.scale  #! error


Kernel()(torch.randn(2, 3))
