# one compiled model is warmed in the main thread and used by a pool
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

model = torch.compile(nn.Linear(4, 4).eval(), backend="eager")


def infer(x):
    with torch.no_grad():
        return model(x)


infer(torch.randn(2, 4))
with ThreadPoolExecutor(2) as pool:
    list(pool.map(infer, [torch.randn(2, 4) for _ in range(4)]))
