# the first request pays for the compilation; latencies are collected from it on
import time

import torch
from torch import nn


class Service:
    def __init__(self):
        self.model = torch.compile(nn.Linear(4, 4).eval(), backend="eager")
        self.latencies = []

    @torch.no_grad()
    def handle(self, x):
        start = time.perf_counter()  #! slow
        out = self.model(x)  #! slow
        self.latencies.append(time.perf_counter() - start)  #! slow
        return out


service = Service()
for _ in range(3):
    service.handle(torch.randn(1, 4))
