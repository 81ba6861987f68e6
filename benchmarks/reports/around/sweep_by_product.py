# a sweep over batch sizes and lengths
import itertools

import torch
from torch import nn

encoder = torch.compile(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), backend="eager")
for batch, length in itertools.product((2, 4), (8, 16)):
    with torch.no_grad():
        encoder(torch.randn(batch, length, 8))  #! recompile input
