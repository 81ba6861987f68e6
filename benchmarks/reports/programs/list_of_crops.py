# the number of crops in the list differs
import torch
from torch import nn


class MultiCrop(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)

    def forward(self, crops):
        return torch.cat([self.lin(c) for c in crops])


net = torch.compile(MultiCrop(), backend="eager")
for k in (2, 3, 4):
    crops = [torch.randn(1, 8) for _ in range(k)]
    net(crops)  #! recompile input
