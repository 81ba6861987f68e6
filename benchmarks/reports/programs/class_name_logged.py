# the name of the class decides the checkpoint
import torch
from torch import nn


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


def config_for(model):
    names = {"Unet": 1, "Vae": 2}
    return names[model.__class__.__name__]  #! wrong


unet = torch.compile(Unet(), backend="eager")
unet(torch.randn(1, 4))
print(config_for(unet))  #! wrong
