import torch
from torch import nn

net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).cuda().eval()
model = torch.compile(net, mode="reduce-overhead")
points = torch.randn(96, 16, device="cuda")
out = torch.empty(96, 1, device="cuda")
with torch.no_grad():
    for i in range(0, len(points), 16):
        out[i : i + 16] = model(points[i : i + 16])
print(out.mean().item())
