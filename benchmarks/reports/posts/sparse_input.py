# a sparse matrix is given to a compiled layer
import torch
from torch import nn


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, adj, x):
        return torch.sparse.mm(adj, self.fc(x))  #! break


adj = torch.eye(3).to_sparse()
model = torch.compile(GCN(), backend="eager")
for _ in range(2):
    model(adj, torch.randn(3, 4))
