# the number of nodes is read from the largest index
# thread: rusty1s/pytorch_scatter#457: give the size (dim_size), it is known before the call
# help: size | shape | length; argument | pass | known | shape | before | outside
import torch
from torch import nn


class Pool(nn.Module):
    def forward(self, edge_features, index):
        nodes = int(index.max()) + 1  #! break
        out = edge_features.new_zeros(nodes, edge_features.shape[1])
        return out.index_add_(0, index, edge_features)


fast = torch.compile(Pool(), backend="eager")
print(fast(torch.ones(4, 2), torch.tensor([0, 1, 1, 2])))
