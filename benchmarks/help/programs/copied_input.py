# the input is copied by the module copy
# thread: pytorch/pytorch#107570: torch.clone(x)
# help: clone
import copy

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        kept = copy.copy(x)  #! break
        return kept + x


net = torch.compile(Net(), backend="eager")
print(net(torch.ones(2)))
