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

from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(70, 64)), batch_size=16, drop_last=True)
for epoch in range(3):
    for (x,) in loader:
        x = x.cuda()
        loss = nn.functional.mse_loss(model(x), x)
        loss.backward()
        opt.step()
        opt.zero_grad()
print(loss.item())
