# one network sees a small template and a large search image
import torch
from torch import nn


class Siamese(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone

    def track(self, z, x):
        kernel = self.backbone(z)  #! recompile input
        feat = self.backbone(x)  #! recompile input
        return nn.functional.conv2d(feat, kernel)


backbone = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())
tracker = Siamese(torch.compile(backbone, backend="eager"))
score = tracker.track(torch.randn(1, 3, 8, 8), torch.randn(1, 3, 16, 16))  #! recompile input
