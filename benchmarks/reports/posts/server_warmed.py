# the service calls the model once when it starts; pair_of=server_first_request
import time

import torch
from torch import nn


class Service:
    def __init__(self):
        self.model = torch.compile(nn.Linear(4, 4).eval(), backend="eager")
        self.latencies = []
        with torch.no_grad():
            self.model(torch.randn(1, 4))

    @torch.no_grad()
    def handle(self, x):
        start = time.perf_counter()
        out = self.model(x)
        self.latencies.append(time.perf_counter() - start)
        return out


service = Service()
for _ in range(3):
    service.handle(torch.randn(1, 4))
