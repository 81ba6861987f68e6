# the discriminator sees real images without and fakes with a gradient
import torch
from torch import nn

gen = nn.Linear(2, 4)
disc = torch.compile(nn.Linear(4, 1), backend="eager")
for _ in range(2):
    real = torch.randn(8, 4)
    fake = gen(torch.randn(8, 2))
    d_loss = disc(fake.detach()).mean() - disc(real).mean()  #! recompile input
    d_loss.backward()
    g_loss = -disc(fake).mean()  #! recompile input
    g_loss.backward()
