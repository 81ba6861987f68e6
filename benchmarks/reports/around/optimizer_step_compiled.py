# the step of an optimizer is compiled by a helper
import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


@torch.compile(backend="eager")
def step():
    opt.step()  #! break


for _ in range(2):
    net(torch.ones(1, 4)).sum().backward()
    step()
    opt.zero_grad()
