import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



class Features:
    def __init__(self, net):
        self.net = torch.compile(net, mode="reduce-overhead")
        self.mean = torch.zeros(64, device="cuda")

    @torch.no_grad()
    def update(self, x):
        now = self.net(x)
        self.mean = 0.9 * self.mean + 0.1 * now.mean(0)
        return self.mean.norm().item()


features = Features(Net().cuda().eval())
for step in range(6):
    print(features.update(torch.randn(8, 64, device="cuda")))
