import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



denoise = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
with torch.no_grad():
    for image in range(2):
        x = torch.randn(4, 64, device="cuda")
        for t in range(8):
            x = x - 0.1 * denoise(x)
        print(x.std().item())
