# a class keeps a ring of frames of one size; pair_of=frames_grow_by_attribute
import torch
from torch import nn


class Tracker:
    def __init__(self, model):
        self.model = torch.compile(model, backend="eager")
        self.frames = torch.zeros(8, 4)
        self.at = 0

    def push(self, frame):
        self.frames[self.at % 8] = frame
        self.at += 1
        return self.model(self.frames)


tracker = Tracker(nn.Linear(4, 4))
for _ in range(3):
    tracker.push(torch.randn(4))
