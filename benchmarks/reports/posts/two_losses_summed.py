# the two losses are added and differentiated once; pair_of=two_losses_one_graph
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
for _ in range(2):
    first, second = model(torch.randn(3, 4))
    (first + second).backward()
