# throughput is computed over an epoch that holds the compilation
import time

import torch
from torch import nn

net = nn.Linear(4, 1)
model = torch.compile(net, backend="eager")
opt = torch.optim.SGD(net.parameters(), lr=0.1)
start = time.time()  #! slow
seen = 0
for _ in range(4):
    x = torch.randn(8, 4)
    loss = model(x).mean()  #! slow
    loss.backward()
    opt.step()
    opt.zero_grad()
    seen += len(x)
rate = seen / (time.time() - start)  #! slow
