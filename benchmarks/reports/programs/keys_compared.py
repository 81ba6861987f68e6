# names of modules are compared with a list
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.encoder(x))


net = torch.compile(Net(), backend="eager")
groups = {"encoder": [], "other": []}
for name, p in net.named_parameters():
    groups["encoder" if name.startswith("encoder") else "other"].append(p)  #! wrong
print(len(groups["encoder"]))
