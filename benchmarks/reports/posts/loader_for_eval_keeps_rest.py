# training drops the last batch, the evaluation keeps it
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def loader_for(split, size):
    data = TensorDataset(torch.randn(size, 4))
    return DataLoader(data, batch_size=4, drop_last=split == "train")


model = torch.compile(nn.Linear(4, 2), backend="eager")
for (x,) in loader_for("train", 9):
    model(x).sum().backward()
for (x,) in loader_for("test", 7):
    model(x)  #! recompile input
