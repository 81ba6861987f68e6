# the compiled step of an optimizer that a scheduler wraps
import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
opt.step = torch.compile(opt.step, backend="eager")  #! error
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=10)  #! error
net(torch.ones(1, 4)).sum().backward()
opt.step()
sched.step()
