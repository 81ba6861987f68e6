"""Recompiles by size: batch, then length."""
import torch


def attend(q, k):
    return torch.softmax(q @ k.transpose(-1, -2), -1)


compiled = torch.compile(attend, backend="aot_eager")
for batch, length in ((2, 8), (3, 8), (4, 8), (4, 9), (4, 11)):
    compiled(torch.randn(batch, length, 16), torch.randn(batch, length, 16))
