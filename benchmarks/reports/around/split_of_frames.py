# a video in pieces of four frames, of which the last is shorter
import torch
from torch import nn


class Frames(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return self.conv(x).mean((2, 3))


model = torch.compile(Frames().eval(), backend="eager")
video = torch.randn(10, 3, 8, 8)
features = []
with torch.no_grad():
    for piece in video.split(4):
        features.append(model(piece))  #! recompile input
features = torch.cat(features)
