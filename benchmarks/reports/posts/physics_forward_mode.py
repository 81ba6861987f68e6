# the derivatives come from functional transforms of the plain network; pair_of=physics_laplacian
import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))


def u(point):
    return net(point).squeeze(-1)


@torch.compile(backend="aot_eager")
def residual(points):
    return torch.vmap(torch.func.hessian(u))(points).diagonal(dim1=-2, dim2=-1).sum(-1)


for _ in range(2):
    residual(torch.rand(6, 2))
