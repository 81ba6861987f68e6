import torch
from torch import nn
net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10)).cuda()
net(torch.randn(2, 3, 16, 16, device="cuda"))
model = torch.compile(net, mode="reduce-overhead")
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(6):
    loss = model(torch.randn(8, 3, 16, 16, device="cuda")).logsumexp(-1).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
print(loss.item())
