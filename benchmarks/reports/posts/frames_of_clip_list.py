# a list of frames of any length is given
import torch
from torch import nn


class Video(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, frames):
        return torch.stack([self.fc(f) for f in frames]).mean(0)


model = torch.compile(Video().eval(), backend="eager")
clips = {"a": 2, "b": 3, "c": 5}
with torch.no_grad():
    for name, n in clips.items():
        model([torch.randn(1, 4) for _ in range(n)])  #! recompile input
