import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(64, 64)

    def forward(self, x):
        return x + torch.relu(self.l(x))


blocks = nn.ModuleList(Block() for _ in range(4)).cuda().eval()
for b in blocks:
    b.compile(mode="reduce-overhead")
with torch.no_grad():
    for _ in range(5):
        x = torch.randn(8, 64, device="cuda")
        for b in blocks:
            x = b(x)
        print(x.sum().item())
