# the weight is replaced under the compiled model between forward and backward
import torch
from torch import nn

net = nn.Linear(3, 1)
model = torch.compile(net, backend="aot_eager")
x = torch.randn(2, 3, requires_grad=True)
loss = model(x).sum()
with torch.no_grad():
    net.weight.add_(1)  #! error
loss.backward()  #! error
