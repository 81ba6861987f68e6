# the same model in training and in evaluation
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return self.drop(self.lin(x))


net = torch.compile(Net(), backend="eager")
x = torch.randn(2, 4)
for epoch in range(3):
    net.train()
    net(x).sum().backward()  #! recompile state
    net.eval()
    with torch.no_grad():
        net(x)  #! recompile state
