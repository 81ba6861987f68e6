"""An epoch whose last batch is smaller."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import Residual, adamw
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, channels: int = 64, depth: int = 6) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 7, 4, 3)
        self.blocks = nn.Sequential(*[Residual(channels) for _ in range(depth)])
        self.head = nn.Linear(channels, 10)

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.blocks(self.stem(images)).mean((2, 3)))


def train(model: nn.Module, optimizer: torch.optim.Optimizer, loader: DataLoader, device: str) -> None:
    for x, y in loader:
        loss = functional.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def make(device: str) -> Callable[[], object]:
    model = Net().to(device)
    compiled = torch.compile(model)
    optimizer = adamw(model)
    data = TensorDataset(torch.randn(100, 3, 64, 64), torch.randint(10, (100,)))
    loader = DataLoader(data, batch_size=32, shuffle=True, drop_last=True)
    return lambda: train(compiled, optimizer, loader, device)


if __name__ == "__main__":
    epoch = make("cuda")
    for _ in range(100):
        epoch()
