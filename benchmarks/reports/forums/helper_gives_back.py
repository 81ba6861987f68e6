# a helper compiles and returns the model; pair_of=helper_rebinds_only
import torch
from torch import nn


def optimize(model):
    model.eval()
    if hasattr(torch, "compile"):
        model = torch.compile(model, backend="eager")
    return model


net = nn.Linear(8, 8)
net = optimize(net)
with torch.no_grad():
    for _ in range(3):
        net(torch.randn(2, 8))
