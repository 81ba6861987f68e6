import torch
from torch import nn


class SpanMask(nn.Module):
    """Masks the time steps from `start`, in evaluation none."""

    def __init__(self) -> None:
        super().__init__()
        self.mask_emb = nn.Parameter(torch.randn(6))
        self.proj = nn.Linear(6, 6)

    def forward(self, x, starts, width: int = 2):
        mask = torch.zeros(x.shape[:2], dtype=torch.bool, device=x.device)
        for row in range(x.shape[0]):
            for s in starts[row]:
                mask[row, s : s + width] = True
        if mask.any():
            x = x.clone()
            x[mask] = self.mask_emb
        return self.proj(x)


def build():
    return SpanMask()


def sample():
    return torch.randn(2, 9, 6), torch.tensor([[1, 5], [0, 7]])
