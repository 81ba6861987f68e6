# a weight of the loss is a float that changes each epoch
import torch


@torch.compile(backend="eager", fullgraph=True)
def vae_loss(recon, x, mu, logvar, beta):
    rec = ((recon - x) ** 2).mean()
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).mean()
    return rec + beta * kl


x, mu, logvar = torch.randn(4, 8), torch.randn(4, 2), torch.randn(4, 2)
for epoch in range(4):
    beta = min(1.0, epoch / 3)
    vae_loss(x * 0.9, x, mu, logvar, beta)  #! recompile input
