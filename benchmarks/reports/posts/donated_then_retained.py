# a compiled loss is differentiated twice with retain_graph
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
model = torch.compile(net, backend="aot_eager")
loss = model(torch.randn(2, 4)).mean()
norms = []
for _ in range(2):
    grads = torch.autograd.grad(loss, list(net.parameters()), retain_graph=True)
    norms.append(sum(g.norm() for g in grads).item())
print(len(norms))
