# only encode of the compiled model is used
import torch
from torch import nn


class Auto(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(4, 2)
        self.dec = nn.Linear(2, 4)

    def encode(self, x):
        return self.enc(x).tanh()

    def forward(self, x):
        return self.dec(self.encode(x))


auto = torch.compile(Auto(), backend="eager")  #! slow
codes = [auto.encode(torch.randn(2, 4)) for _ in range(3)]  #! slow
