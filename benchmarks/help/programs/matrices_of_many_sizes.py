# an optimizer works on matrices of many sizes by one compiled function
# thread: microsoft/dion#23: dynamic=True, or a higher recompile limit: a graph for each size is expected
# help: dynamic | recompile_limit | mark_dynamic
import torch
from torch import nn


@torch.compile(backend="eager", dynamic=False)
def orthogonalize(x):
    x = x / (x.norm() + 1e-7)
    return 1.5 * x - 0.5 * x @ x.T @ x


layers = [nn.Linear(n, n + 1) for n in (3, 5, 7, 9)]
with torch.no_grad():
    for layer in layers:
        orthogonalize(layer.weight)  #! recompile input
