import torch
from torch import nn


class MoE(nn.Module):
    def __init__(self, d=16, n=4):
        super().__init__()
        self.gate = nn.Linear(d, n)
        self.experts = nn.ModuleList(nn.Linear(d, d) for _ in range(n))

    def forward(self, x):
        weights = self.gate(x).softmax(-1)
        chosen = weights.argmax(-1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            out = out + torch.where((chosen == i)[:, None], expert(x) * weights[:, i : i + 1], 0.0)
        return out


moe = MoE().cuda()
model = torch.compile(moe, mode="reduce-overhead")
opt = torch.optim.SGD(moe.parameters(), 0.1)
for _ in range(6):
    x = torch.randn(32, 16, device="cuda")
    loss = (model(x) - x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
