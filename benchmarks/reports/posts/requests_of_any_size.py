# a server stacks what is waiting, one to many requests
import random

import torch
from torch import nn

random.seed(1)


class Batcher:
    def __init__(self, model):
        self.model = model
        self.queue = []

    def put(self, x):
        self.queue.append(x)

    @torch.inference_mode()
    def flush(self):
        batch = torch.stack(self.queue)
        self.queue.clear()
        return self.model(batch)  #! recompile input


batcher = Batcher(torch.compile(nn.Linear(4, 2).eval(), backend="eager"))
for _ in range(5):
    for _ in range(random.randint(1, 6)):
        batcher.put(torch.randn(4))
    batcher.flush()
