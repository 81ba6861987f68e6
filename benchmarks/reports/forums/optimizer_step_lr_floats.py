# the step of an optimizer is compiled, and a scheduler changes its rate
import torch
from torch import nn

model = nn.Linear(4, 4)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.9)


@torch.compile(backend="eager")
def fn():
    opt.step()  #! break


for _ in range(4):
    opt.zero_grad()
    model(torch.randn(2, 4)).sum().backward()
    fn()
    sched.step()
