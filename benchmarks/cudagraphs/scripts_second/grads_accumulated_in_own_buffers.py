import torch
from torch import nn

net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4)).cuda()
compiled = torch.compile(net, mode="reduce-overhead")
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
sums = [torch.zeros_like(p) for p in net.parameters()]
for step in range(12):
    x, y = torch.randn(16, 32, device="cuda"), torch.randint(0, 4, (16,), device="cuda")
    nn.functional.cross_entropy(compiled(x), y).backward()
    for total, p in zip(sums, net.parameters()):
        total.add_(p.grad)
        p.grad = None
    if step % 4 == 3:
        for total, p in zip(sums, net.parameters()):
            p.grad = total.clone()
            total.zero_()
        optimizer.step()
        optimizer.zero_grad()
