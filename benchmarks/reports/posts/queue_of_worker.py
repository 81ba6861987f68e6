# a worker takes jobs of one shape out of a queue
import queue
import threading

import torch
from torch import nn

model = torch.compile(nn.Linear(4, 1).eval(), backend="eager")
jobs = queue.Queue()


def work():
    while (x := jobs.get()) is not None:
        with torch.no_grad():
            model(x)


worker = threading.Thread(target=work)
worker.start()
for _ in range(3):
    jobs.put(torch.randn(2, 4))
jobs.put(None)
worker.join()
