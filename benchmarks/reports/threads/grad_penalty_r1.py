# the R1 penalty of a discriminator in a method
import torch
import torch.nn.functional as F
from torch import nn


class Disc(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.fc = nn.Linear(4, 1)

    def forward(self, img):
        return self.fc(F.leaky_relu(self.conv(img)).mean((2, 3)))


class Loss:
    def __init__(self, disc, gamma=10.0):
        self.disc, self.gamma = disc, gamma

    def run_d(self, real):
        real = real.detach().requires_grad_(True)
        logits = self.disc(real)
        loss = F.softplus(-logits).mean()
        (g,) = torch.autograd.grad(outputs=logits.sum(), inputs=real, create_graph=True)  #! error
        r1 = g.square().sum((1, 2, 3)).mean()
        (loss + self.gamma / 2 * r1).backward()  #! error


disc = torch.compile(Disc(), backend="aot_eager")
crit = Loss(disc)
for _ in range(2):
    crit.run_d(torch.rand(2, 3, 8, 8))
