# memory is freed between two stages
# thread: Comfy-Org/ComfyUI: not inside of the compiled model
# help: outside | after | before
import gc

import torch
from torch import nn


class TwoStage(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)

    def forward(self, x):
        x = self.a(x)
        gc.collect()  #! break
        return self.b(x)


torch.manual_seed(0)
net = torch.compile(TwoStage(), backend="eager")
print(net(torch.ones(1, 4)))
