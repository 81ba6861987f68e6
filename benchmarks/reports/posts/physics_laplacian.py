# a physics-informed loss takes second derivatives of the compiled network
import torch
from torch import nn

net = torch.compile(nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)), backend="aot_eager")


def laplacian(u, xy):
    g = torch.autograd.grad(u.sum(), xy, create_graph=True)[0]  #! error
    return sum(torch.autograd.grad(g[:, i].sum(), xy, create_graph=True)[0][:, i] for i in range(2))  #! error


xy = torch.rand(6, 2, requires_grad=True)
residual = laplacian(net(xy), xy)  #! error
residual.pow(2).mean().backward()  #! error
