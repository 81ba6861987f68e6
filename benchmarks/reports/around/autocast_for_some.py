# half of the calls run under autocast
import torch
from torch import nn

net = torch.compile(nn.Sequential(nn.Linear(4, 4), nn.ReLU()), backend="eager")
x = torch.randn(2, 4)
for use_amp in (True, False):
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=use_amp):
        net(x)  #! recompile state
