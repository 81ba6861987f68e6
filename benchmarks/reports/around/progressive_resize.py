# the size of images grows with the epoch
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.zeros(3, self.size, self.size), i % 2


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, 2)
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc(self.conv(x).relu().mean((2, 3)))


cnn = torch.compile(Cnn(), backend="eager")
crit = nn.CrossEntropyLoss()
for epoch in range(4):
    size = 16 if epoch < 2 else 24
    for images, labels in DataLoader(Images(size), batch_size=2):
        crit(cnn(images), labels).backward()  #! recompile input
