import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



model = torch.compile(Net().cuda(), mode="reduce-overhead")
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)

for step in range(4):
    x = torch.randn(8, 64, device="cuda", requires_grad=True)
    y = model(x).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    loss = (g.norm(dim=-1) - 1).pow(2).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
