# the position of decoding goes in as an int
# thread: meta-pytorch/gpt-fast: pass the position as a tensor
# help: tensor
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("cache", torch.zeros(8, 4))

    def forward(self, x, position: int):
        self.cache[position] = self.fc(x)
        return self.cache[: position + 1].mean(0)


torch.manual_seed(0)
decoder = torch.compile(Decoder(), backend="eager")
with torch.no_grad():
    for position in range(4):
        decoder(torch.ones(4), position)  #! recompile input
