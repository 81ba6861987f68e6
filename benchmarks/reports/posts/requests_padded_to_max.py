# the server pads its batch to the largest; pair_of=requests_of_any_size
import random

import torch
from torch import nn

random.seed(1)
LARGEST = 8


class Batcher:
    def __init__(self, model):
        self.model = model
        self.queue = []

    def put(self, x):
        self.queue.append(x)

    @torch.inference_mode()
    def flush(self):
        n = len(self.queue)
        batch = torch.zeros(LARGEST, 4)
        for i, x in enumerate(self.queue):
            batch[i] = x
        self.queue.clear()
        return self.model(batch)[:n]


batcher = Batcher(torch.compile(nn.Linear(4, 2).eval(), backend="eager"))
for _ in range(5):
    for _ in range(random.randint(1, 6)):
        batcher.put(torch.randn(4))
    batcher.flush()
