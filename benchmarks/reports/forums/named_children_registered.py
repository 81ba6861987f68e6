# blocks are compiled and registered again under their names
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        y = self.fc(x)
        print("norm", round(float(y.norm()) * 0, 1))  #! break
        return x + y


class Transformer(nn.Module):
    def __init__(self, dim=4, n=2):
        super().__init__()
        self.layers = nn.ModuleDict({str(i): Block(dim) for i in range(n)})

    def forward(self, x):
        for layer in self.layers.values():
            x = layer(x)
        return x


MODELS = {"tiny": Transformer}


def apply_compile(model):
    for layer_id, block in model.layers.named_children():
        block = torch.compile(block, backend="eager")
        model.layers.register_module(layer_id, block)


model = MODELS["tiny"]()
apply_compile(model)
model(torch.randn(2, 4)).sum().backward()
