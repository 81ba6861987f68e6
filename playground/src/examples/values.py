# Read a value on the host
import torch
from torch import nn


class Pool(nn.Module):
    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        longest = int(lengths.max())
        x = x[:, :longest]
        mask = torch.arange(longest, device=x.device) < lengths[:, None]
        scale = lengths.float().mean().item()
        return (x * mask[..., None]).sum(1) / scale


model = torch.compile(Pool())
out = model(torch.randn(4, 16, 32), torch.tensor([3, 9, 16, 5]))
