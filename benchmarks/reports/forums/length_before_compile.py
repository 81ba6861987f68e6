# the number of layers is asked before compiling; pair_of=length_of_sequential
import torch
from torch import nn

layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
rates = [0.1 * i for i in range(len(layers))]
layers = torch.compile(layers, backend="eager")
layers(torch.randn(2, 4))
print(rates)
