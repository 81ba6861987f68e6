# noise is drawn with numpy inside the compiled function after numpy was seeded
import numpy as np
import torch

np.random.seed(0)


@torch.compile(backend="eager")
def jitter(x):
    return x + float(np.random.rand())  #! break


print([round(jitter(torch.zeros(1)).item(), 4) for _ in range(3)])
