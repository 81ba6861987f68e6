# two losses of one compiled forward, with the graph retained
import torch
from torch import nn


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.a = nn.Linear(4, 1)
        self.b = nn.Linear(4, 1)

    def forward(self, x):
        h = self.body(x).tanh()
        return self.a(h).mean(), self.b(h).mean()


model = torch.compile(Two(), backend="aot_eager")
first, second = model(torch.randn(2, 4))
first.backward(retain_graph=True)
second.backward()
