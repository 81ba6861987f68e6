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

for epoch in range(3):
    model.train()
    for _ in range(3):
        x = torch.randn(16, 64, device="cuda")
        nn.functional.mse_loss(model(x), x).backward()
        opt.step()
        opt.zero_grad()
    model.eval()
    with torch.no_grad():
        val = [nn.functional.mse_loss(model(x), x).item() for x in torch.randn(3, 16, 64, device="cuda")]
    print(sum(val))
