import torch
from torch import nn
class WithLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64))

    def forward(self, x):
        return (self.net(x) - x).pow(2).mean()


model = torch.compile(WithLoss().cuda(), mode="reduce-overhead")
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
history = []
for step in range(8):
    loss = model(torch.randn(16, 64, device="cuda"))
    loss.backward()
    opt.step()
    opt.zero_grad()
    history.append(loss.item())
print(history)
