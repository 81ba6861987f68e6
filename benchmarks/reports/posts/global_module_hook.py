# a hook for all modules is registered after the first call
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
model = torch.compile(net, backend="eager")
model(torch.randn(2, 4))
seen = []
handle = nn.modules.module.register_module_forward_hook(lambda m, a, o: seen.append(type(m).__name__))  #! wrong
model(torch.randn(2, 4))  #! wrong
handle.remove()
print(len(seen))
