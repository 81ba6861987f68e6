# weights are loaded between two calls
import torch
from torch import nn

net = nn.Linear(4, 4)
fast = torch.compile(net, backend="eager")
fast(torch.ones(1, 4))
net.load_state_dict({k: torch.zeros_like(v) for k, v in net.state_dict().items()})
fast(torch.ones(1, 4))
