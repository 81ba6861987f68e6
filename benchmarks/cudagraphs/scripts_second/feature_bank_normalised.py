import torch
from torch import nn

backbone = nn.Sequential(nn.Conv2d(3, 16, 4, 4), nn.ReLU(), nn.AdaptiveAvgPool2d(1)).cuda().eval()
extract = torch.compile(backbone, mode="reduce-overhead")


@torch.no_grad()
def bank(batches):
    rows = []
    for images in batches:
        rows.append(nn.functional.normalize(extract(images).flatten(1)))
    return torch.cat(rows)


features = bank(torch.randn(8, 3, 16, 16, device="cuda") for _ in range(6))
print((features @ features.t()).topk(3).indices.shape)
