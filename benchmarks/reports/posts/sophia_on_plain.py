# the estimate uses the plain model, the steps the compiled one; pair_of=sophia_hutchinson
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8)
        self.b = nn.Linear(8, 1)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x))).pow(2).mean()


def hutchinson(loss, params):
    grads = torch.autograd.grad(loss, params, create_graph=True)
    noise = [torch.randn_like(g) for g in grads]
    return torch.autograd.grad(grads, params, grad_outputs=noise)


net = Net()
model = torch.compile(net, backend="aot_eager")
model(torch.randn(4, 4)).backward()
print(len(hutchinson(net(torch.randn(4, 4)), list(net.parameters()))))
