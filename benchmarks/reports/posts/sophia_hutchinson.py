# an optimizer estimates the diagonal of the Hessian through the compiled loss
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
    grads = torch.autograd.grad(loss, params, create_graph=True)  #! error
    noise = [torch.randn_like(g) for g in grads]
    return torch.autograd.grad(grads, params, grad_outputs=noise)  #! error


model = torch.compile(Net(), backend="aot_eager")
loss = model(torch.randn(4, 4))
print(len(hutchinson(loss, list(model.parameters()))))  #! error
