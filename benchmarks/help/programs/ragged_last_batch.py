# the last batch of an epoch is smaller
# thread: saforem2/ezpz#190: drop_last=True for the loader
# help: drop_last
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.arange(22.0).reshape(11, 2)), batch_size=4)
net = torch.compile(nn.Linear(2, 1), backend="eager")
for (batch,) in loader:
    net(batch).sum().backward()  #! recompile input
