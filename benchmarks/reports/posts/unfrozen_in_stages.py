# layers are unfrozen one after the other
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 1))
for layer in net[:2]:
    layer.requires_grad_(False)
model = torch.compile(net, backend="eager")
for epoch in range(3):
    if epoch:
        net[2 - epoch].requires_grad_(True)  #! recompile state
    model(torch.randn(2, 4)).mean().backward()  #! recompile state
