# a compiled loss takes a gradient inside
import torch
from torch import nn


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, pos):
        return self.fc(pos.tanh()).sum()


energy = Energy()


@torch.compile(backend="aot_eager")
def force_loss(pos, target):
    e = energy(pos)
    f = -torch.autograd.grad(e, pos, create_graph=True)[0]  #! break
    return (f - target).pow(2).mean()


for _ in range(2):
    pos = torch.randn(4, 3, requires_grad=True)
    loss = force_loss(pos, torch.randn(4, 3))
    print(loss.shape)
