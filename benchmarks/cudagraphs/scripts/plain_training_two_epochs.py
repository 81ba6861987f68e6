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

data = torch.randn(10, 16, 64, device="cuda")
for epoch in range(2):
    for x in data:
        loss = nn.functional.smooth_l1_loss(model(x), x)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
