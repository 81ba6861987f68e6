# a video in pieces of five frames, all the same; pair_of=split_of_frames
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
    for piece in video.split(5):
        features.append(model(piece))
features = torch.cat(features)
