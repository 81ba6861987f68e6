# a property compiles whenever it is read
import torch
from torch import nn


class Pipeline:
    def __init__(self):
        self.net = nn.Linear(4, 4)

    @property
    def fast(self):
        return torch.compile(self.net, backend="eager")  #! slow


pipeline = Pipeline()
for _ in range(3):
    pipeline.fast(torch.randn(2, 4))  #! slow
