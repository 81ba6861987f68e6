# a model leaves early when it is sure
# thread: pytorch/pytorch#105863: run all layers and mask, torch.cond, or decide outside of the compiled layers
# help: torch.cond | mask | all | torch.where
import torch
from torch import nn


class EarlyExit(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).tanh()
            if x.abs().max() > 0.99:  #! break
                break
        return x


torch.manual_seed(0)
net = torch.compile(EarlyExit(), backend="eager")
with torch.no_grad():
    print(net(torch.ones(1, 4)))
