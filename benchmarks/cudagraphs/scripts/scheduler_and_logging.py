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

sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 10)
for step in range(10):
    x = torch.randn(16, 64, device="cuda")
    loss = nn.functional.mse_loss(model(x), x)
    loss.backward()
    opt.step()
    sched.step()
    opt.zero_grad()
    if step % 5 == 0:
        print(step, float(loss), sched.get_last_lr())
