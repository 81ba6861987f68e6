# learning rates by layer take the number of the layer out of the parameter's name
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x


def groups(model, lr, decay):
    out = []
    for name, p in model.named_parameters():
        depth = int(name.split(".")[1])  #! error
        out.append({"params": [p], "lr": lr * decay**depth})
    return out


model = torch.compile(Net(), backend="eager")
opt = torch.optim.SGD(groups(model, 0.1, 0.5))  #! error
model(torch.randn(2, 4)).sum().backward()
opt.step()
