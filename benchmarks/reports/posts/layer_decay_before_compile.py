# the groups are built before the model is compiled; pair_of=layer_decay_by_name
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
        depth = int(name.split(".")[1])
        out.append({"params": [p], "lr": lr * decay**depth})
    return out


model = Net()
opt = torch.optim.SGD(groups(model, 0.1, 0.5))
model = torch.compile(model, backend="eager")
model(torch.randn(2, 4)).sum().backward()
opt.step()
