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

opt.zero_grad()
for step in range(12):
    x = torch.randn(8, 64, device="cuda")
    loss = (model(x) - x).pow(2).mean() / 4
    loss.backward()
    if (step + 1) % 4 == 0:
        opt.step()
        opt.zero_grad(set_to_none=True)
print(loss.item())
