# a layer is pruned after the model has run
import torch
from torch import nn
from torch.nn.utils import prune


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 8)
        self.fc2 = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(self.fc1(x).relu())


model = Net()
model.compile(backend="eager")
x = torch.randn(4, 8)
for _ in range(2):
    model(x).sum().backward()
prune.l1_unstructured(model.fc1, "weight", amount=0.5)  #! recompile state
for _ in range(2):
    model(x).sum().backward()  #! recompile state
