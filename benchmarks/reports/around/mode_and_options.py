# mode and options together
import torch
from torch import nn

net = torch.compile(nn.Linear(4, 4), mode="reduce-overhead", options={"max_autotune": True})  #! error
net(torch.ones(1, 4))
