# the last batch of a loader is smaller
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.randn(10, 4), torch.randint(0, 2, (10,)))
loader = DataLoader(data, batch_size=4, shuffle=True)  #! recompile input
model = torch.compile(nn.Linear(4, 2), backend="eager")
for epoch in range(2):
    for x, y in loader:
        nn.functional.cross_entropy(model(x), y).backward()  #! recompile input
