# the gradient penalty of a compiled critic
import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x)


def penalty(critic, real, fake):
    mix = (0.5 * real + 0.5 * fake).requires_grad_(True)
    score = critic(mix)  #! recompile input
    (grad,) = torch.autograd.grad(score.sum(), mix, create_graph=True)  #! error
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


critic = torch.compile(Critic(), backend="aot_eager")
real, fake = torch.randn(2, 4), torch.randn(2, 4)
loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
loss.backward()  #! error
