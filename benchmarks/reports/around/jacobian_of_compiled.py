# the Jacobian by a transform over a compiled network
import torch
from torch import nn

net = torch.compile(nn.Sequential(nn.Linear(3, 3), nn.Tanh()), backend="aot_eager")
x = torch.randn(5, 3)
j = torch.func.vmap(torch.func.jacrev(net))(x)
print(j.shape)
