# the warm-up uses another batch than the measurement
import time

import torch
from torch import nn

model = torch.compile(nn.Linear(4, 4).eval(), backend="eager")
with torch.no_grad():
    model(torch.randn(1, 4))
    start = time.perf_counter()
    for _ in range(3):
        model(torch.randn(32, 4))  #! recompile input
    took = time.perf_counter() - start
