# the gradient penalty of the plain critic; pair_of=wgan_penalty
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
    score = critic(mix)
    (grad,) = torch.autograd.grad(score.sum(), mix, create_graph=True)
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()


plain = Critic()
critic = torch.compile(plain, backend="aot_eager")
real, fake = torch.randn(2, 4), torch.randn(2, 4)
loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(plain, real, fake)
loss.backward()
