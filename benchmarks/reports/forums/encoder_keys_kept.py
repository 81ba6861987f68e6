# the keys of the encoder are kept for a later task
import torch
from torch import nn


class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(8, 2)
        self.decoder = nn.Linear(2, 8)

    def forward(self, x):
        return self.decoder(self.encoder(x).tanh())


ae = torch.compile(AE(), backend="eager")
ae(torch.randn(4, 8)).sum().backward()
weights = {k: v for k, v in ae.state_dict().items() if k.startswith("encoder.")}  #! wrong
print(sorted(weights))
