"""Instances that share code: one forward, four layers, different settings."""
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, scale):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.scale = scale

    def forward(self, x):
        return torch.relu(self.linear(x)) * self.scale


blocks = [Block(4, 0.5), Block(4, 2), Block(8, 0.5), Block(16, 3)]
for block in blocks:
    block.compile(backend="eager")
for _ in range(2):
    for block in blocks:
        block(torch.randn(2, block.linear.in_features))
