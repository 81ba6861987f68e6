# each module looks its table up by a float of its own
# thread: pytorch/pytorch#174541: keep the table in the module in place of its key
# help: buffer | attribute | self | __init__ | tensor
import torch
from torch import nn

tables = {}


class Scaled(nn.Module):
    def __init__(self, key):
        super().__init__()
        self.key = key
        tables[key] = torch.full((4,), key)

    def forward(self, x):
        return x + tables[self.key]  #! recompile instance


x = torch.zeros(4)
for key in (1.0, 2.0, 3.0, 4.0):
    module = Scaled(key)
    module.compile(backend="eager")
    print(module(x))  #! recompile instance
