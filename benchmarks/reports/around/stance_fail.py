# the server may not compile again, and a request is longer
import torch
from torch import nn

net = torch.compile(nn.Linear(4, 4), backend="eager")
net(torch.zeros(1, 4))
torch.compiler.set_stance("fail_on_recompile")
for n in (1, 2):
    net(torch.zeros(n, 4))  #! error
