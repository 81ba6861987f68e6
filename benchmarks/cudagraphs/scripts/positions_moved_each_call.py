import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(64, 64)
        self.pos = torch.randn(16, 64)

    def forward(self, x):
        return self.l(x + self.pos[: x.shape[1]].to(x.device))


net = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
with torch.no_grad():
    for _ in range(5):
        print(net(torch.randn(2, 16, 64, device="cuda")).sum().item())
