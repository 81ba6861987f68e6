import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.a, self.b = nn.Linear(d, 128), nn.Linear(128, d)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))



teacher = torch.compile(Net().cuda().eval(), mode="reduce-overhead")
student = torch.compile(Net().cuda(), mode="reduce-overhead")
opt = torch.optim.AdamW(student.parameters())
for step in range(6):
    x = torch.randn(16, 64, device="cuda")
    with torch.no_grad():
        target = teacher(x)
    loss = (student(x) - target).pow(2).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
print(loss.item())
