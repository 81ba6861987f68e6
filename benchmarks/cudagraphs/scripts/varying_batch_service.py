import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



net = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
with torch.inference_mode():
    for n in (1, 5, 3, 9, 2, 7, 4, 11, 6, 13, 8, 15):
        print(net(torch.randn(n, 64, device="cuda")).shape)
