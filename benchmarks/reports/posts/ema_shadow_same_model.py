# the average is filled and updated from the compiled model; pair_of=ema_shadow_by_name
import torch
from torch import nn


class EMA:
    def __init__(self, model):
        self.shadow = {n: p.detach().clone() for n, p in model.named_parameters()}

    def update(self, model):
        for n, p in model.named_parameters():
            self.shadow[n].lerp_(p.detach(), 0.1)


net = nn.Sequential(nn.Linear(4, 1))
model = torch.compile(net, backend="eager")
ema = EMA(model)
model(torch.randn(2, 4)).mean().backward()
ema.update(model)
