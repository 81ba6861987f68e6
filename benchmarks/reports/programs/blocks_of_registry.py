# blocks of a model from a registry are compiled in one graph each
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        if x.sum() > 0:  #! error
            return self.lin(x)
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleDict({str(i): Block() for i in range(2)})

    def forward(self, x):
        for layer in self.layers.values():
            x = layer(x)
        return x


SPECS = {"net": Net}


def apply_compile(model):
    for _, block in model.layers.named_children():
        block.compile(backend="eager", fullgraph=True)


def main(name="net"):
    model = SPECS[name]()
    apply_compile(model)
    model(torch.randn(2, 4))


main()
