# layers are counted by their class behind the wrapper
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 2)

    def forward(self, x):
        return self.b(self.a(x))

    def describe(self):
        return f"{type(self).__name__} with {sum(p.numel() for p in self.parameters())} weights"


model = torch.compile(Net(), backend="eager")
linears = [m for m in model.modules() if isinstance(m, nn.Linear)]
for m in linears:
    nn.init.zeros_(m.bias)
print(len(linears), model.describe(), next(model.parameters()).device)
model(torch.randn(2, 4))
