# the mean of all runs holds the time of compilation
import time

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


def bench(model, x, n=5):
    times = []
    for _ in range(n):
        start = time.perf_counter()  #! slow
        model(x)  #! slow
        times.append(time.perf_counter() - start)  #! slow
    return sum(times) / len(times)


x = torch.randn(2, 4)
net = Net().eval()
with torch.no_grad():
    eager = bench(net, x)
    fast = bench(torch.compile(net, backend="eager"), x)
print(eager > 0, fast > 0)
