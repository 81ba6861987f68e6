# sanity check without gradients before training
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


def main():
    net = torch.compile(Net(), backend="eager")
    x = torch.randn(8, 4)
    with torch.no_grad():
        print(net(x).shape)  #! recompile state
    for _ in range(3):
        net(x).sum().backward()  #! recompile state


main()
