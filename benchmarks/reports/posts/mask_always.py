# a mask is always given; pair_of=mask_sometimes
import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, mask=None):
        h = self.fc(x)
        if mask is not None:
            h = h * mask.unsqueeze(-1)
        return h.mean(1)


model = torch.compile(Pool(), backend="eager")
batches = [[3, 3], [3, 2], [3, 3]]
for lengths in batches:
    x = torch.randn(2, 3, 4)
    mask = (torch.arange(3)[None] < torch.tensor(lengths)[:, None]).float()
    model(x, mask=mask)
