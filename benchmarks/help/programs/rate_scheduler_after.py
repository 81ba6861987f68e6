# the scheduler is made after the optimizer's step was compiled
# thread: pytorch/pytorch#130467: it adds initial_lr to the groups: make the scheduler before the first compiled step
# help: before; scheduler | initial_lr
import torch
from torch import nn, optim

model = nn.Linear(2, 2)
opt = optim.Adam(model.parameters(), lr=torch.tensor(0.1), capturable=False, foreach=False)


@torch.compile(backend="eager")
def step():
    for group in opt.param_groups:
        for p in group["params"]:
            p.data.add_(p.grad, alpha=-1.0)
    return len(opt.param_groups[0])


model(torch.ones(1, 2)).sum().backward()
print(step())
scheduler = optim.lr_scheduler.LinearLR(opt)
print(step())  #! recompile state
