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

scaler = torch.amp.GradScaler("cuda")
for step in range(6):
    x = torch.randn(16, 64, device="cuda")
    with torch.autocast("cuda", torch.float16):
        loss = nn.functional.mse_loss(model(x), x)
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
    opt.zero_grad()
print(loss.item())
