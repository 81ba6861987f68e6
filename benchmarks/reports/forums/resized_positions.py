# the table of positions is resized between two stages
import torch
from torch import nn
from torch.nn import functional as F


class ViT(nn.Module):
    def __init__(self, n=16, dim=8):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 4, stride=4)
        self.pos = nn.Parameter(torch.zeros(1, n, dim))

    def forward(self, img):
        x = self.patch(img).flatten(2).transpose(1, 2)
        return (x + self.pos).mean(1)


def resize(model, n):
    old = model.pos.detach().transpose(1, 2)
    model.pos = nn.Parameter(F.interpolate(old, size=n).transpose(1, 2))  #! recompile state


vit = ViT()
fast = torch.compile(vit, backend="eager")
for res in (16, 24):
    n = (res // 4) ** 2
    if vit.pos.shape[1] != n:
        resize(vit, n)  #! recompile state
    for _ in range(2):
        fast(torch.randn(2, 3, res, res))  #! recompile state
