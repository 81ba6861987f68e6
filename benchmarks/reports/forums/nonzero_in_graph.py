# nonzero stands in one whole graph
import torch


@torch.compile(backend="eager", fullgraph=True)
def keep(scores, thr):
    idx = torch.nonzero(scores > thr)
    return idx.flatten()


for _ in range(3):
    keep(torch.rand(8), 0.5)
