# training and evaluation have batches of other sizes
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 2)

    def forward(self, x):
        return self.lin(x)


def make_loader(batch_size):
    return DataLoader(TensorDataset(torch.randn(32, 4)), batch_size=batch_size)


def main():
    net = torch.compile(Net(), backend="eager")
    train, val = make_loader(16), make_loader(8)
    for (x,) in train:
        net(x).sum().backward()  #! recompile input
    net.eval()
    with torch.no_grad():
        for (x,) in val:
            net(x)  #! recompile input


main()
