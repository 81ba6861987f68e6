# the last layer is cut from the children of a compiled network
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc(self.pool(self.conv(x)).flatten(1))


resnet = torch.compile(Net(), backend="eager")
img = torch.randn(1, 3, 8, 8)
print(resnet(img).shape)
backbone = nn.Sequential(*list(resnet.children())[:-1])  #! wrong
print(backbone(img).shape)
