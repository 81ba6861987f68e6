# two losses of one compiled output are differentiated one after the other
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.a = nn.Linear(4, 1)
        self.b = nn.Linear(4, 1)

    def forward(self, x):
        h = self.body(x).tanh()
        return self.a(h).mean(), self.b(h).pow(2).mean()


model = torch.compile(Net(), backend="aot_eager")
first, second = model(torch.randn(3, 4))
first.backward()
second.backward()  #! error
