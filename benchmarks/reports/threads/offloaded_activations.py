# saved tensors are moved by hooks around a compiled call
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x).sin()


model = torch.compile(Net(), backend="aot_eager")
packed = []


def pack(t):
    packed.append(t.shape)
    return t


for _ in range(2):
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        out = model(torch.randn(2, 4))
    out.sum().backward()
print(len(packed) > 0)
