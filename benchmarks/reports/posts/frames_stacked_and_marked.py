# the frames are stacked and their number is marked; pair_of=frames_of_clip_list
import torch
from torch import nn


class Video(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, frames):
        return self.fc(frames).mean(0)


model = torch.compile(Video().eval(), backend="eager")
clips = {"a": 2, "b": 3, "c": 5}
with torch.no_grad():
    for name, n in clips.items():
        frames = torch.stack([torch.randn(1, 4) for _ in range(n)])
        torch._dynamo.mark_dynamic(frames, 0)
        model(frames)
