import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(64, 64)

    def forward(self, x, mask):
        return self.l(x) * mask


net = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
mask = torch.ones(64).cuda()
with torch.no_grad():
    for _ in range(5):
        print(net(torch.randn(8, 64, device="cuda"), mask).sum().item())
