"""Messages over a graph whose number of nodes is read from the edges in each layer."""

from __future__ import annotations

from collections.abc import Callable

import torch
from parts import adamw
from torch import Tensor, nn
from torch.nn import functional


class Convolution(nn.Module):
    """Shapes: nodes (number, width), edges (2, number of edges)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.message, self.own = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        source, target = edges
        number = nodes.shape[0]
        summed = nodes.new_zeros(number, nodes.shape[1]).index_add(0, target, self.message(nodes)[source])
        return (self.own(nodes) + summed).relu()


class Net(nn.Module):
    def __init__(self, width: int = 128, depth: int = 4) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Convolution(width) for _ in range(depth))
        self.head = nn.Linear(width, 8)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        for layer in self.layers:
            nodes = nodes + layer(nodes, edges)
        return self.head(nodes)


def make(device: str) -> Callable[[], object]:
    model = Net().to(device)
    compiled = torch.compile(model)
    optimizer = adamw(model)
    nodes, labels = torch.randn(4000, 128, device=device), torch.randint(8, (4000,), device=device)
    edges = torch.cat([torch.randint(4000, (2, 20000), device=device), torch.full((2, 1), 3999, device=device)], 1)

    def step() -> object:
        loss = functional.cross_entropy(compiled(nodes, edges), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return None

    return step


if __name__ == "__main__":
    train = make("cuda")
    for _ in range(1000):
        train()
