# the number of layers of a compiled Sequential is asked, which the wrapper passes on
import torch
from torch import nn

layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
layers = torch.compile(layers, backend="eager")
layers(torch.randn(2, 4))
rates = [0.1 * i for i in range(len(layers))]
print(rates)
