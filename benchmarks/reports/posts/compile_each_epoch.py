# the model is compiled again in every epoch
import torch
from torch import nn

net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    model = torch.compile(net, backend="eager")  #! slow
    for _ in range(2):
        opt.zero_grad()
        model(torch.randn(4, 4)).mean().backward()
        opt.step()
