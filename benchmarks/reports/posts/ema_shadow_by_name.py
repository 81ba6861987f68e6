# an average by name was filled from the plain model and is updated from the compiled one
import torch
from torch import nn


class EMA:
    def __init__(self, model):
        self.shadow = {n: p.detach().clone() for n, p in model.named_parameters()}

    def update(self, model):
        for n, p in model.named_parameters():
            self.shadow[n].lerp_(p.detach(), 0.1)  #! error


net = nn.Sequential(nn.Linear(4, 1))
ema = EMA(net)
model = torch.compile(net, backend="eager")
model(torch.randn(2, 4)).mean().backward()
ema.update(model)  #! error
