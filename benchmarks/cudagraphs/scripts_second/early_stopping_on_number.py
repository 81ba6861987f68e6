import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 32), nn.SiLU(), nn.Linear(32, 1))

    def forward(self, x, y):
        return nn.functional.mse_loss(self.net(x), y)


model = Regressor().cuda()
compiled = torch.compile(model, mode="reduce-overhead")
opt = torch.optim.Adam(model.parameters())
best, patience = float("inf"), 0
for epoch in range(6):
    x, y = torch.randn(64, 8, device="cuda"), torch.randn(64, 1, device="cuda")
    opt.zero_grad()
    compiled(x, y).backward()
    opt.step()
    with torch.no_grad():
        val = compiled(x, y).item()
    if val < best:
        best, patience = val, 0
    else:
        patience += 1
    if patience > 10:
        break
print(best)
