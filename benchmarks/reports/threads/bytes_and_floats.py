# some images arrive as bytes, others as floats
import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 2, 1)

    def forward(self, img):
        if img.dtype == torch.uint8:
            img = img.float() / 255
        return self.conv(img)


model = torch.compile(Norm(), backend="eager")
files = {"a.png": torch.randint(0, 255, (1, 3, 8, 8), dtype=torch.uint8), "b.npy": torch.rand(1, 3, 8, 8)}
for name, img in files.items():
    print(name, model(img).shape)  #! recompile input
