"""Accelerate, asked by `dynamo_backend`."""

import torch
from accelerate import Accelerator
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 1)

    def forward(self, x):
        y = self.a(x)
        print("here")
        return y * 2


def main():
    accelerator = Accelerator(dynamo_backend="eager", cpu=True)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    model, optimizer = accelerator.prepare(model, optimizer)
    for _ in range(2):
        loss = model(torch.randn(2, 4)).sum()
        accelerator.backward(loss)
        optimizer.step()


if __name__ == "__main__":
    main()
