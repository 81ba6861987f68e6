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
history = []
for step in range(8):
    x = torch.randn(16, 64, device="cuda")
    loss = (model(x) - x).pow(2).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
    history.append(loss.detach())
print(torch.stack(history).tolist())
