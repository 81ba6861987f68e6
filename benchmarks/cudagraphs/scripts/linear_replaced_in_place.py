import torch
from torch import nn
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU()).cuda().eval()
for i in (0, 2):
    model[i] = torch.compile(model[i], mode="reduce-overhead")
with torch.no_grad():
    for _ in range(5):
        print(model(torch.randn(8, 64, device="cuda")).sum().item())
