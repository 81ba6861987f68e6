# both loaders have one size and drop what is left
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 2)

    def forward(self, x):
        return self.lin(x)


data = TensorDataset(torch.randn(32, 4))
net = torch.compile(Net(), backend="eager")
for split in ("train", "val"):
    for (x,) in DataLoader(data, batch_size=16, drop_last=True):
        net(x)
