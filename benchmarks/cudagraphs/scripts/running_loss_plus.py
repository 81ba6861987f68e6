import torch
from torch import nn
class WithLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(64, 64)

    def forward(self, x, y):
        return nn.functional.mse_loss(self.net(x), y)


model = torch.compile(WithLoss().cuda(), mode="reduce-overhead")
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
running = torch.zeros((), device="cuda")
for step in range(8):
    x = torch.randn(16, 64, device="cuda")
    loss = model(x, x)
    loss.backward()
    opt.step()
    opt.zero_grad()
    running += loss.detach()
print(running.item() / 8)
