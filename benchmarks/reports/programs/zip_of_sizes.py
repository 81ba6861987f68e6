# sizes of height and width come from zip
import torch
import torch.nn.functional as F
from torch import nn


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x):
        return F.relu(self.conv(x))


pyramid = torch.compile(Pyramid(), backend="eager")
image = torch.randn(1, 3, 64, 64)
feats = []
for h, w in zip([64, 32, 16], [64, 48, 16]):
    small = F.interpolate(image, size=(h, w))
    feats.append(pyramid(small))  #! recompile input
