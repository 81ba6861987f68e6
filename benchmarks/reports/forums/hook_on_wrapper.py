# a hook is put on the wrapper
import torch
from torch import nn

shapes = []
model = torch.compile(nn.Sequential(nn.Linear(4, 4), nn.ReLU()), backend="eager")
model.register_forward_hook(lambda m, inp, out: shapes.append(tuple(out.shape)))
for _ in range(3):
    model(torch.randn(2, 4))
print(shapes)
