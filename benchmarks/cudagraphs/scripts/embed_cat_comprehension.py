import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



net = Net().cuda().eval()
net = torch.compile(net, mode="reduce-overhead")


@torch.no_grad()
def embed(batches):
    return torch.cat([net(b) for b in batches])


data = [torch.randn(16, 64, device="cuda") for _ in range(5)]
for _ in range(3):
    out = embed(data)
print(out.sum().item())
