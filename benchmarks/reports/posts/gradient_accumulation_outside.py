# losses of micro batches are divided outside of the compiled model
import torch
from torch import nn

net = nn.Linear(4, 1)
model = torch.compile(net, backend="eager")
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    loss = model(torch.randn(2, 4)).mean() / 2
    loss.backward()
    if (step + 1) % 2 == 0:
        opt.step()
        opt.zero_grad()
