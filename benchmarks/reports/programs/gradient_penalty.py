# a gradient penalty through a compiled critic
import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8)
        self.b = nn.Linear(8, 1)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


critic = torch.compile(Critic(), backend="aot_eager")
x = torch.randn(3, 4, requires_grad=True)
score = critic(x)
grad = torch.autograd.grad(score.sum(), x, create_graph=True)[0]  #! error
penalty = ((grad.norm(dim=1) - 1) ** 2).mean()
penalty.backward()  #! error
