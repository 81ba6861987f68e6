# a property computes a weight from the number of the step
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
        return min(1.0, self.step / self.warmup)  #! recompile state

    def forward(self, x):
        z = self.enc(x)
        return self.beta * z.square().mean()  #! recompile state


vae = BetaVAE()
fast = torch.compile(vae, backend="eager")
for i in range(4):
    fast(torch.randn(2, 4)).backward()  #! recompile state
    vae.step += 1  #! recompile state
