# the sequence is marked, and positions of one length are added
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos = nn.Parameter(torch.zeros(1, 16, 8))
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return self.fc(x + self.pos)


model = torch.compile(Encoder(), backend="eager")
x = torch.randn(2, 16, 8)
torch._dynamo.mark_dynamic(x, 1)  #! error
model(x)  #! error
