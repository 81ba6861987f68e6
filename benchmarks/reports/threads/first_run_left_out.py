# the first runs are left out of the mean; pair_of=average_of_all_runs
import time

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


def bench(model, x, n=5, warmup=2):
    for _ in range(warmup):
        model(x)
    start = time.perf_counter()
    for _ in range(n):
        model(x)
    return (time.perf_counter() - start) / n


x = torch.randn(2, 4)
net = Net().eval()
with torch.no_grad():
    eager = bench(net, x)
    fast = bench(torch.compile(net, backend="eager"), x)
print(eager > 0, fast > 0)
