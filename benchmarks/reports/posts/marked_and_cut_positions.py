# the positions are cut to the length of the sequence; pair_of=marked_and_positions
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos = nn.Parameter(torch.zeros(1, 64, 8))
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return self.fc(x + self.pos[:, : x.shape[1]])


model = torch.compile(Encoder(), backend="eager")
for length in (16, 24, 32):
    x = torch.randn(2, length, 8)
    torch._dynamo.mark_dynamic(x, 1, min=2, max=64)
    model(x)
