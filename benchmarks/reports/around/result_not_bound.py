# what compile returns is not kept
import torch
from torch import nn


def main():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    torch.compile(model, backend="eager")  #! slow
    for _ in range(3):
        model(torch.randn(2, 4)).sum().backward()


main()
