# the evaluation hands over a transposed view
import torch


@torch.compile(backend="eager")
def score(x):
    return (x * 2).sum(-1)


score(torch.randn(4, 4))
for _ in range(2):
    score(torch.randn(4, 4).t())  #! recompile input
