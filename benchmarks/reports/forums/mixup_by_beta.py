# mixup draws its weight from numpy and hands it over
import numpy as np
import torch
from torch import nn

np.random.seed(0)
model = nn.Linear(8, 4)
ce = nn.CrossEntropyLoss()


@torch.compile(backend="eager")
def mixup_loss(out, ya, yb, lam):
    return lam * ce(out, ya) + (1 - lam) * ce(out, yb)


for _ in range(4):
    x, y = torch.randn(6, 8), torch.randint(0, 4, (6,))
    lam = np.random.beta(0.2, 0.2)
    perm = torch.randperm(6)
    mixed = lam * x + (1 - lam) * x[perm]
    loss = mixup_loss(model(mixed), y, y[perm], lam)  #! recompile input
    loss.backward()
