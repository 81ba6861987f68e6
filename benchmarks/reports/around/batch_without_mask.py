# some batches have a mask and some have none
import torch
from torch import nn


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)

    def forward(self, batch):
        q, k, v = self.qkv(batch["x"]).chunk(3, -1)
        scores = q @ k.transpose(1, 2)
        if "mask" in batch:
            scores = scores.masked_fill(batch["mask"], -1e4)
        return scores.softmax(-1) @ v


def collate(i):
    batch = {"x": torch.randn(2, 4, 8)}
    if i % 2:
        batch["mask"] = torch.zeros(2, 4, 4, dtype=torch.bool)
    return batch


attend = torch.compile(Attend(), backend="eager")
for i in range(3):
    attend(collate(i))  #! recompile input
