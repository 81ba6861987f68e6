# a helper marks the batch of all tensors of a dictionary
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x, weight):
        return (self.fc(x).squeeze(-1) * weight).mean()


def mark(batch):
    for value in batch.values():
        torch._dynamo.mark_dynamic(value, 0)
    return batch


model = torch.compile(Net(), backend="eager")
for n in (3, 5, 8):
    batch = mark({"x": torch.randn(n, 4), "weight": torch.rand(n)})
    model(**batch).backward()
