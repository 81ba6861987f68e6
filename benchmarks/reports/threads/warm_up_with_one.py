# the warm up has a batch of one, requests have four
import torch
from torch import nn


class ImageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.pool = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        return self.pool(self.conv(x)).flatten(1)


class Service:
    def __init__(self):
        self.model = torch.compile(ImageModel().eval(), backend="eager")
        self.warmup()

    def warmup(self):
        dummy = torch.zeros(1, 3, 16, 16)
        for _ in range(3):
            self.infer(dummy)

    @torch.inference_mode()
    def infer(self, images):
        return self.model(images)  #! recompile input


service = Service()
for _ in range(2):
    service.infer(torch.rand(4, 3, 16, 16))
