# a cached property compiles once; pair_of=compile_in_getter
from functools import cached_property

import torch
from torch import nn


class Pipeline:
    def __init__(self):
        self.net = nn.Linear(4, 4)

    @cached_property
    def fast(self):
        return torch.compile(self.net, backend="eager")


pipeline = Pipeline()
for _ in range(3):
    pipeline.fast(torch.randn(2, 4))
