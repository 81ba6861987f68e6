# images come in buckets of aspect ratio
import random

import torch
from torch import nn

BUCKETS = [(16, 24), (24, 16), (20, 20)]


class BucketSampler:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        for i in range(self.n):
            yield BUCKETS[i % len(BUCKETS)]


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.dec = nn.ConvTranspose2d(8, 3, 4, stride=2, padding=1)

    def forward(self, x):
        return self.dec(self.enc(x).relu())


random.seed(0)
vae = torch.compile(VAE(), backend="eager")
optimizer = torch.optim.AdamW(vae.parameters(), lr=1e-4)
for h, w in BucketSampler(6):
    img = torch.randn(2, 3, h, w)  #! recompile input
    rec = vae(img)  #! recompile input
    loss = (rec - img).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
