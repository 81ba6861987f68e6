# a callback compares the trainer's model with the net by identity
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


class Ema:
    def __init__(self, net):
        self.net = net
        self.updates = 0

    def after_step(self, model):
        if model is self.net:  #! wrong
            self.updates += 1


net = Net()
ema = Ema(net)
model = torch.compile(net, backend="eager")
for _ in range(3):
    model(torch.randn(2, 4)).sum().backward()
    ema.after_step(model)  #! wrong
print(ema.updates)
