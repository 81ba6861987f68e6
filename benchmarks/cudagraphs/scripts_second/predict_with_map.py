import torch
from torch import nn

net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).cuda().eval()
model = torch.compile(net, mode="reduce-overhead")
batches = torch.randn(96, 16, device="cuda").split(16)
with torch.no_grad():
    predictions = torch.cat(list(map(model, batches)))
print(predictions.mean().item())
