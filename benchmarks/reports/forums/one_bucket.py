# all images are cropped to one bucket; pair_of=aspect_buckets
import torch
from torch import nn

BUCKETS = [(16, 24), (24, 16), (20, 20)]
SIZE = BUCKETS[0]


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.dec = nn.ConvTranspose2d(8, 3, 4, stride=2, padding=1)

    def forward(self, x):
        return self.dec(self.enc(x).relu())


vae = torch.compile(VAE(), backend="eager")
optimizer = torch.optim.AdamW(vae.parameters(), lr=1e-4)
for h, w in BUCKETS * 2:
    img = torch.randn(2, 3, 32, 32)[:, :, : SIZE[0], : SIZE[1]]
    rec = vae(img)
    loss = (rec - img).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
