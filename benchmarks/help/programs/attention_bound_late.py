# the inner attention is chosen at its first call
# thread: pytorch/torchtitan#2823: choose it before compiling, so that None never becomes a function
# help: before | __init__ | outside | first
import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = None

    def forward(self, q):
        if self.inner is None:
            self.inner = F.scaled_dot_product_attention  #! recompile state
        return self.inner(q, q, q)


attend = torch.compile(Attention(), backend="eager")
for _ in range(3):
    print(attend(torch.ones(1, 2, 3, 4)).shape)  #! recompile state
