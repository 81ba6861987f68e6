# one network sees two views of one size; pair_of=template_and_search
import torch
from torch import nn


class Siamese(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone

    def compare(self, a, b):
        za = self.backbone(a)
        zb = self.backbone(b)
        return nn.functional.cosine_similarity(za.flatten(1), zb.flatten(1))


backbone = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())
pair = Siamese(torch.compile(backbone, backend="eager"))
score = pair.compare(torch.randn(1, 3, 8, 8), torch.randn(1, 3, 8, 8))
