# a module is copied in the forward to be adapted
# thread: pytorch/pytorch#115122: copy it before the compiled call
# help: outside | before | __init__
import copy

import torch
from torch import nn


class Adapted(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 2)

    def forward(self, x):
        fast = copy.deepcopy(self.net)  #! break
        fast.weight.data.mul_(0.5)
        return fast(x)


torch.manual_seed(0)
with torch.no_grad():
    print(torch.compile(Adapted(), backend="eager")(torch.ones(1, 2)).shape)
