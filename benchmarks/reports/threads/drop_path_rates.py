# the drop path rate of all blocks is changed in training
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, drop):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.drop_prob = drop

    def forward(self, x):
        if self.drop_prob == 0.0 or not self.training:  #! recompile state
            return x + self.fc(x)
        keep = torch.rand(x.shape[0], 1) > self.drop_prob
        return x + self.fc(x) * keep


class Vit(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList([Block(0.0) for _ in range(depth)])

    def forward(self, x):
        for blk in self.blocks:
            x = blk(x)
        return x

    def update_drop_path(self, rate):
        for i, blk in enumerate(self.blocks):
            blk.drop_prob = rate * (i + 1)  #! recompile state


vit = torch.compile(Vit(), backend="eager")
for epoch in range(3):
    vit.update_drop_path(0.1 * epoch)  #! recompile state
    vit(torch.randn(2, 4))
