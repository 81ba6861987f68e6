# Moves between devices
import numpy as np
import torch
from torch import nn


class Position(nn.Module):
    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.width = width
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        place = torch.tensor([n / 10_000 for n in range(x.shape[1])]).cuda()
        x = x.cuda() + place[None, :, None]
        host = x.detach().cpu().numpy()
        peak = torch.from_numpy(np.sort(host, axis=1)).to(x.device)
        return self.out(x) + peak


model = torch.compile(Position())
