# keys without a value are dropped from the call
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, mask=None, bias=None):
        y = self.lin(x)
        if bias is not None:
            y = y + bias
        if mask is not None:
            y = y * mask
        return y


model = torch.compile(Encoder(), backend="eager")
batches = [
    {"x": torch.randn(2, 4), "mask": torch.ones(2, 4), "bias": None},
    {"x": torch.randn(2, 4), "mask": None, "bias": torch.zeros(4)},
]
for batch in batches:
    kwargs = {k: v for k, v in batch.items() if v is not None}
    model(**kwargs)  #! recompile input
