# messages are passed for each relation along the edges that have it
# thread: pyg-team/pytorch_geometric#8783: while compiling take all edges and weigh them by their relation, not a mask of edges
# help: mask | where | multiply | all edges | capture_dynamic_output_shape_ops
import torch
from torch import nn


class Relational(nn.Module):
    def __init__(self, relations):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(relations, 4, 4))

    def forward(self, x, edges, kind):
        out = torch.zeros_like(x)
        for i in range(self.weight.shape[0]):
            source, target = edges[:, kind == i]  #! break
            out = out.index_add(0, target, x[source] @ self.weight[i])
        return out


conv = torch.compile(Relational(2), backend="eager")
edges = torch.tensor([[0, 1, 2, 2], [1, 2, 0, 1]])
print(conv(torch.ones(3, 4), edges, torch.tensor([0, 1, 1, 0])).sum())
