# a signed distance field is trained with an eikonal term
import torch
from torch import nn


class SDF(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 8), nn.Softplus(), nn.Linear(8, 1))

    def forward(self, p):
        return self.body(p).squeeze(-1)

    def gradient(self, p):
        p.requires_grad_(True)
        d = self(p)
        return torch.autograd.grad(d, p, torch.ones_like(d), create_graph=True)[0]  #! error


sdf = SDF()
sdf.compile(backend="aot_eager")
opt = torch.optim.Adam(sdf.parameters())
normals = sdf.gradient(torch.rand(5, 3))
loss = (normals.norm(dim=-1) - 1).pow(2).mean()
loss.backward()  #! error
opt.step()
