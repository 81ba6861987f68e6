# a full loop with clipping, a schedule and a best checkpoint
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1))
model = torch.compile(net, backend="eager")
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=5)
best = float("inf")
for epoch in range(3):
    opt.zero_grad(set_to_none=True)
    loss = model(torch.randn(4, 4)).pow(2).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    schedule.step()
    if loss.item() < best:
        best = loss.item()
        state = {k: v.clone() for k, v in net.state_dict().items()}
