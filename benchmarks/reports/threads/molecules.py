# molecules have other numbers of atoms
import torch
from torch import nn


class MessagePassing(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.msg = nn.Linear(dim, dim)
        self.readout = nn.Linear(dim, 1)

    def forward(self, h, adj):
        for _ in range(2):
            h = torch.relu(adj @ self.msg(h))
        return self.readout(h.sum(0))


def fake_molecule(n_atoms):
    adj = (torch.rand(n_atoms, n_atoms) > 0.5).float()
    return torch.randn(n_atoms, 8), adj


gnn = torch.compile(MessagePassing(), backend="eager")
dataset = [fake_molecule(n) for n in (9, 12, 7)]
for h, adj in dataset:
    energy = gnn(h, adj)  #! recompile input
