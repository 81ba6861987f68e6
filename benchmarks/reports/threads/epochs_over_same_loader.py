# the same batches in each epoch
import itertools

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)


def batches():
    while True:
        yield torch.randn(8, 4), torch.randn(8, 1)


model = torch.compile(Net(), backend="eager")
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step, (x, y) in enumerate(itertools.islice(batches(), 6)):
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    opt.zero_grad(set_to_none=True)
    if step % 2 == 0:
        print(step, loss.isfinite().item())
