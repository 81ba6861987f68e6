# one caller passes a mask, the other none
import torch
from torch import nn


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(8, 8)

    def forward(self, x, mask=None):
        scores = self.q(x) @ x.transpose(-1, -2)
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        return scores.softmax(-1)


attend = torch.compile(Attend(), backend="eager")


def train_step(x, mask):
    return attend(x, mask)  #! recompile input


def eval_step(x):
    return attend(x)  #! recompile input


x = torch.randn(2, 5, 8)
train_step(x, torch.zeros(2, 5, 5, dtype=torch.bool))
eval_step(x)
