# State that recompiles
import torch
from torch import nn


class Warmup(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(16, 16)
        self.step = 0
        self.seen = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.step += 1
        scale = min(1.0, self.step / 1000)
        y = self.layer(x) * scale
        self.seen.append(y.detach())
        return y


model = torch.compile(Warmup())
for _ in range(100):
    model(torch.randn(4, 16))
