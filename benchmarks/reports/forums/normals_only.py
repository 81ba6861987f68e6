# normals of a compiled network are only looked at; pair_of=lipschitz_penalty
import torch
from torch import nn

net = torch.compile(nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 1)), backend="aot_eager")


def normals(points):
    points.requires_grad_(True)
    sdf = net(points)
    (normal,) = torch.autograd.grad(sdf, points, torch.ones_like(sdf))
    return normal / normal.norm(dim=-1, keepdim=True)


for _ in range(2):
    print(normals(torch.rand(8, 3)).shape)
