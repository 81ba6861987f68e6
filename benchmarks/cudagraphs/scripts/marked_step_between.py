import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



net = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
with torch.no_grad():
    for t in range(6):
        torch.compiler.cudagraph_mark_step_begin()
        y = net(torch.randn(4, 64, device="cuda"))
        z = y * 2
        print(z.sum().item())
