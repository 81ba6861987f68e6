# a scheduler over a compiled step
import torch

w = torch.nn.Parameter(torch.randn(4))
opt = torch.optim.Adam([w])
opt.step = torch.compile(opt.step, backend="eager")  #! error
sched = torch.optim.lr_scheduler.StepLR(opt, 10)  #! error
