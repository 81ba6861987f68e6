# nothing is left of the last batch after a filter
import torch
from torch import nn

head = torch.compile(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), backend="eager")
batches = [[0.9, 0.8, 0.7], [0.95, 0.6, 0.99], [0.1, 0.2, 0.3]]
for scores in batches:
    keep = [s for s in scores if s > 0.5]
    x = torch.randn(len(keep), 4)
    head(x)  #! recompile input
