import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.Linear(64, 32), nn.Sequential(nn.Linear(16, 64), nn.Sigmoid())

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(-1).mean()
        return F.mse_loss(self.dec(z), x), kl


vae = VAE().cuda()
model = torch.compile(vae, mode="reduce-overhead")
opt = torch.optim.Adam(vae.parameters(), 1e-3)
seen = torch.zeros((), device="cuda")
for _ in range(8):
    rec, kl = model(torch.rand(32, 64, device="cuda"))
    loss = rec + 0.1 * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    seen += loss.detach()
print(seen.item() / 8)
