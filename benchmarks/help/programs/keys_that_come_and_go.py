# keyword arguments of attention are there only with padding
# thread: xdit-project/xDiT#781: keep the keys always there, with None where there is no padding
# help: always | same keys | None
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.options = {"scale": 2.0}

    def forward(self, x):
        lengths = self.options.get("lengths")  #! recompile state
        x = x * self.options["scale"]
        return x if lengths is None else x * lengths[:, None]


attention = Attention()
fast = torch.compile(attention, backend="eager")
for padded in (False, True, False, True):
    if padded:
        attention.options.update(lengths=torch.ones(2))
    else:
        attention.options.pop("lengths", None)
    print(fast(torch.ones(2, 3)).sum())  #! recompile state
