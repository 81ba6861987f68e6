# a lambda over a model gets both dtypes
import torch
from torch import nn

model = nn.Linear(4, 4)
double = nn.Linear(4, 4).double()
run = torch.compile(lambda m, x: m(x).relu(), backend="eager")
run(model, torch.ones(1, 4))  #! recompile input
run(double, torch.ones(1, 4, dtype=torch.float64))  #! recompile input
