import torch
from torch import nn

net = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 1)).cuda()
fn = torch.compile(net, mode="reduce-overhead")
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
ema = {name: torch.zeros_like(p) for name, p in net.named_parameters()}
for i in range(6):
    opt.zero_grad()
    fn(torch.randn(32, 16, device="cuda")).square().mean().backward()
    for name, p in net.named_parameters():
        ema[name].mul_(0.9).add_(p.grad, alpha=0.1)
    opt.step()
print(sum(v.norm().item() for v in ema.values()))
