# the weight is multiplied outside of compiled code; pair_of=beta_property
import torch
from torch import nn


class BetaVAE(nn.Module):
    def __init__(self, warmup=4):
        super().__init__()
        self.enc = nn.Linear(4, 2)
        self.step = 0
        self.warmup = warmup

    @property
    def beta(self):
        return min(1.0, self.step / self.warmup)

    def forward(self, x):
        z = self.enc(x)
        return z.square().mean()


vae = BetaVAE()
fast = torch.compile(vae, backend="eager")
for i in range(4):
    (vae.beta * fast(torch.randn(2, 4))).backward()
    vae.step += 1
