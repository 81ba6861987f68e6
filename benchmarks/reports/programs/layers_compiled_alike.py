# every layer is compiled by itself and they are alike
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, i):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x).relu()


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer(i) for i in range(4)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


stack = Stack()
for layer in stack.layers:
    layer.compile(backend="eager")
with torch.no_grad():
    stack(torch.randn(2, 4))
