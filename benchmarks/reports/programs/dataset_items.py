# a map dataset gives images of several heights
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __init__(self):
        self.heights = [32, 40, 48]

    def __len__(self):
        return len(self.heights)

    def __getitem__(self, i):
        return torch.randn(3, self.heights[i], 32)


net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())


class Encoder(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x).mean((2, 3))


encoder = torch.compile(Encoder(net), backend="eager")
for photo in DataLoader(Photos(), batch_size=1):
    z = encoder(photo)  #! recompile input
