# a penalty on the norm of the gradient of a compiled network
import torch
from torch import nn

net = torch.compile(nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 1)), backend="aot_eager")
opt = torch.optim.Adam(net.parameters())


def eikonal(points):
    points.requires_grad_(True)
    sdf = net(points)
    (normal,) = torch.autograd.grad(sdf, points, torch.ones_like(sdf), create_graph=True)  #! error
    return (normal.norm(dim=-1) - 1).square().mean()


for _ in range(2):
    loss = eikonal(torch.rand(8, 3))
    opt.zero_grad()
    loss.backward()  #! error
    opt.step()
