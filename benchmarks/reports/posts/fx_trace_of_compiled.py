# a tool traces the model symbolically after it was compiled
import torch
import torch.fx
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x).relu()


def count_calls(model):
    graph = torch.fx.symbolic_trace(model).graph  #! error
    return sum(node.op == "call_module" for node in graph.nodes)


model = torch.compile(Net(), backend="eager")
model(torch.randn(2, 4))
print(count_calls(model))  #! error
