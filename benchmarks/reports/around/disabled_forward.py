# forward of the compiled class is disabled
import torch
from torch import nn


class Rnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    @torch.compiler.disable
    def forward(self, x):  #! slow
        for t in x:
            x = self.lin(t)
        return x


rnn = torch.compile(Rnn(), backend="eager")  #! slow
rnn(torch.randn(3, 2, 4))
