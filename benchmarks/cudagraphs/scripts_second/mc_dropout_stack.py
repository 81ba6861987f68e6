import torch
from torch import nn

net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 1)).cuda().train()
predict = torch.compile(net, mode="reduce-overhead")
x = torch.randn(8, 16, device="cuda")
with torch.no_grad():
    samples = torch.stack([predict(x) for _ in range(10)])
print(samples.mean(0).flatten().tolist(), samples.std(0).flatten().tolist())
