import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(100, 16), torch.randint(0, 3, (100,)))
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3)).cuda()
model = torch.compile(net, mode="reduce-overhead")
opt = torch.optim.SGD(net.parameters(), 0.1)
for epoch in range(3):
    for x, y in DataLoader(data, batch_size=32, shuffle=True, drop_last=True, pin_memory=True):
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
