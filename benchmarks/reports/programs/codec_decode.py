# a part is compiled, the method that uses it is called
import torch
from torch import nn


class Codec(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 2)
        self.decoder = nn.Linear(2, 4)

    def decode(self, z):
        return self.decoder(z)


codec = Codec()
codec.decoder = torch.compile(codec.decoder, backend="eager")
for _ in range(3):
    codec.decode(torch.randn(5, 2))
