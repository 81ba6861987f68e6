import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



enc = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
dec = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
with torch.no_grad():
    for _ in range(5):
        z = enc(torch.randn(8, 64, device="cuda"))
        print(dec(z).sum().item())
