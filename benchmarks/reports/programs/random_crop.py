# crops of random lengths
import random

import torch
from torch import nn


class Audio(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3)

    def forward(self, wav):
        return self.conv(wav).abs().mean(-1)


random.seed(0)
audio = torch.compile(Audio(), backend="eager")
wav = torch.randn(1, 1, 4000)
for _ in range(4):
    n = random.randint(1000, 3000)
    audio(wav[:, :, :n])  #! recompile input
