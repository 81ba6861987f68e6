import torch
from torch import nn
class Cell(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.i, self.h = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, h):
        return torch.tanh(self.i(x) + self.h(h))



cell = torch.compile(Cell().cuda(), mode="reduce-overhead")
opt = torch.optim.Adam(cell.parameters())
for step in range(5):
    h = torch.zeros(8, 64, device="cuda")
    for t in range(4):
        h = cell(torch.randn(8, 64, device="cuda"), h)
    h.pow(2).mean().backward()
    opt.step()
    opt.zero_grad()
print(h.sum().item())
