# all clips are cut to the same number of frames; pair_of=videos
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    lengths = (8, 9, 12, 8)

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, i):
        clip = torch.randn(self.lengths[i], 3, 8, 8)
        return clip[:8], i % 2


class VideoNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(3, 4, 1)
        self.fc = nn.Linear(4, 2)

    def forward(self, clip):
        y = self.conv(clip.transpose(1, 2))
        return self.fc(y.mean((2, 3, 4)))


model = VideoNet()
model = torch.compile(model, backend="eager")
crit = nn.CrossEntropyLoss()
for clip, label in DataLoader(Clips(), batch_size=1):
    loss = crit(model(clip), label)
    loss.backward()
