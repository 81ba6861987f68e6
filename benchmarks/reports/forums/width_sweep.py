# a sweep builds and compiles a model for each width
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = nn.Linear(3, width)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x):
        x = self.inp(x)
        for b in self.blocks:
            x = x + b(x).relu()
        return x.mean()


def objective(width, depth):
    model = torch.compile(Net(width, depth), backend="eager")  #! recompile instance
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        loss = model(torch.randn(4, 3))  #! recompile instance
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


grid = {(w, d): objective(w, d) for w in (8, 16) for d in (1, 2)}
print(len(grid))
