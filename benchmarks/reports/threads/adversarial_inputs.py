# adversarial examples need a gradient, clean ones do not
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 3)

    def forward(self, x):
        return self.fc(x)


def fgsm(model, x, y, eps=0.1):
    x = x.clone().detach().requires_grad_(True)
    loss = F.cross_entropy(model(x), y)  #! recompile input
    (g,) = torch.autograd.grad(loss, x)
    return (x + eps * g.sign()).detach()


model = torch.compile(Net(), backend="aot_eager")
for _ in range(2):
    x, y = torch.randn(4, 6), torch.randint(0, 3, (4,))
    clean = F.cross_entropy(model(x), y)  #! recompile input
    adv = fgsm(model, x, y)
    robust = F.cross_entropy(model(adv), y)
    (clean + robust).backward()
