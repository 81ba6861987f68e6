import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



model = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
for _ in range(6):
    y = model(torch.randn(16, 64, device="cuda"))
    print(y.mean().item())
