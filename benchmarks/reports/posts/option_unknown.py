# an option that the backend does not have
import torch
from torch import nn

net = nn.Linear(4, 4)
model = torch.compile(net, options={"tritn.cudagraphs": False})  #! error
model(torch.randn(2, 4))
