# dropout is raised during training
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.0), nn.Linear(4, 1))
model = torch.compile(net, backend="eager")
for epoch in range(3):
    for module in net.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.1 * epoch  #! recompile state
    model(torch.randn(2, 4)).mean().backward()  #! recompile state
