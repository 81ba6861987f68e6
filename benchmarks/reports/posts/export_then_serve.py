# the plain module is exported for serving, the compiled one used in training
import torch
from torch import nn

net = nn.Linear(4, 2)
model = torch.compile(net, backend="eager")
for _ in range(2):
    model(torch.randn(2, 4)).sum().backward()
program = torch.export.export(net.eval(), (torch.randn(1, 4),))
print(program.module()(torch.ones(1, 4)).shape)
