import torch
from torch import nn


class LossScale(nn.Module):
    """A loss in which rows without a label (-100) do not count; zero where no row has one."""

    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(5, 3)

    def forward(self, x, labels):
        logits = self.lin(x)
        valid = labels != -100
        n = valid.sum().item()
        if n == 0:
            return logits.sum() * 0.0
        picked = logits.log_softmax(-1)[valid].gather(1, labels[valid].unsqueeze(1))
        return -picked.sum() / n


def build():
    return LossScale()


def sample():
    return torch.randn(4, 5), torch.tensor([0, 2, -100, 1])
