# the memory is None before the first segment
import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.memory = None

    def forward(self, x):
        h = self.lin(x)
        return h if self.memory is None else h + self.memory


model = Recurrent()
fast = torch.compile(model, backend="eager")
for segment in torch.randn(3, 2, 4):
    out = fast(segment)  #! recompile state
    model.memory = out.detach()  #! recompile state
