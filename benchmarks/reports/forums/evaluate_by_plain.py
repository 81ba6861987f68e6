# the plain model is evaluated and the compiled one trained
import torch
from torch import nn


@torch.no_grad()
def evaluate(model, batches):
    model.eval()
    right = 0
    for x, y in batches:
        right += (model(x).argmax(1) == y).sum().item()
    model.train()
    return right


net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
fast = torch.compile(net, backend="eager")
batches = [(torch.randn(n, 4), torch.randint(0, 2, (n,))) for n in (4, 3)]
for epoch in range(2):
    for _ in range(2):
        fast(torch.randn(4, 4)).sum().backward()
    evaluate(net, batches)
