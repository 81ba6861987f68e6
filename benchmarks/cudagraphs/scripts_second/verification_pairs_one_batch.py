import torch
from torch import nn


class FaceNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 8, 4, 4), nn.ReLU(), nn.Flatten(), nn.Linear(128, 16))

    def forward(self, x):
        return nn.functional.normalize(self.net(x), dim=-1)


embed = torch.compile(FaceNet().cuda().eval(), mode="reduce-overhead")


@torch.inference_mode()
def same_person(a, b, threshold=0.5):
    first, second = embed(torch.cat([a, b])).chunk(2)
    return ((first * second).sum(-1) > threshold).tolist()


for _ in range(5):
    same_person(torch.rand(4, 3, 16, 16, device="cuda"), torch.rand(4, 3, 16, 16, device="cuda"))
