import torch
from torch import nn
class Cell(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.i, self.h = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, h):
        return torch.tanh(self.i(x) + self.h(h))



cell = torch.compile(Cell().cuda().eval(), mode="reduce-overhead")
with torch.no_grad():
    for episode in range(3):
        h = torch.zeros(8, 64, device="cuda")
        for t in range(6):
            h = cell(torch.randn(8, 64, device="cuda"), h).clone()
        print(h.mean().item())
