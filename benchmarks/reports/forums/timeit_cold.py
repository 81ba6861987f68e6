# timeit measures the first call, too
import timeit

import torch
from torch import nn

net = nn.Sequential(nn.Linear(32, 32), nn.ReLU())
fast = torch.compile(net, backend="eager")
x = torch.randn(4, 32)
eager_s = timeit.timeit(lambda: net(x), number=5)
compiled_s = timeit.timeit(lambda: fast(x), number=5)  #! slow
