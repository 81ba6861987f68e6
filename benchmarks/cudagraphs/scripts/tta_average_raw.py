import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



net = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
x = torch.randn(8, 64, device="cuda")
with torch.no_grad():
    for _ in range(3):
        views = [x, x.flip(-1), -x]
        mean = sum(net(v) for v in views) / 3
print(mean.sum())
