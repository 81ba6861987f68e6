# the same network on each level of a pyramid
import torch
import torch.nn.functional as F
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 2, 3, padding=1)

    def forward(self, image):
        return self.conv(image).sigmoid()


def pyramid(image, levels=3):
    out = [image]
    for _ in range(levels - 1):
        out.append(F.avg_pool2d(out[-1], 2))
    return out


detector = torch.compile(Detector(), backend="eager")
maps = [detector(level) for level in pyramid(torch.randn(1, 3, 16, 16))]  #! recompile input
