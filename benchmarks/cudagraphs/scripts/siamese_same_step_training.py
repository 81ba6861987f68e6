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

for step in range(6):
    a, b = torch.randn(8, 64, device="cuda"), torch.randn(8, 64, device="cuda")
    loss = 1 - nn.functional.cosine_similarity(model(a), model(b)).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
print(loss.item())
