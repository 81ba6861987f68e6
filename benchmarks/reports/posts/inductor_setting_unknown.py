# a setting of the backend is misspelt
import torch
import torch._inductor.config as inductor_config
from torch import nn

inductor_config.coordinate_descent_tunning = True  #! error
net = nn.Linear(4, 4)
model = torch.compile(net, backend="eager")
model(torch.randn(2, 4))
