# the clock is started after the first step; pair_of=throughput_counts_compile
import time

import torch
from torch import nn

net = nn.Linear(4, 1)
model = torch.compile(net, backend="eager")
opt = torch.optim.SGD(net.parameters(), lr=0.1)
seen = 0
for step in range(5):
    if step == 1:
        start = time.time()
    x = torch.randn(8, 4)
    loss = model(x).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
    if step:
        seen += len(x)
rate = seen / (time.time() - start)
