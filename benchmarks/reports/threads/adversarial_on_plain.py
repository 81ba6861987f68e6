# the attack uses the plain model; pair_of=adversarial_inputs
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
    loss = F.cross_entropy(model(x), y)
    (g,) = torch.autograd.grad(loss, x)
    return (x + eps * g.sign()).detach()


net = Net()
model = torch.compile(net, backend="aot_eager")
for _ in range(2):
    x, y = torch.randn(4, 6), torch.randint(0, 3, (4,))
    clean = F.cross_entropy(model(x), y)
    adv = fgsm(net, x, y)
    robust = F.cross_entropy(model(adv), y)
    (clean + robust).backward()
