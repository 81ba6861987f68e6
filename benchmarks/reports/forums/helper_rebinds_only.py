# a helper compiles its own name and returns nothing
import torch
from torch import nn


def optimize(model):
    model.eval()
    if hasattr(torch, "compile"):
        model = torch.compile(model, backend="eager")  #! slow


net = nn.Linear(8, 8)
optimize(net)  #! slow
with torch.no_grad():
    for _ in range(3):
        net(torch.randn(2, 8))
