# the number of candidates comes with the request
import torch


@torch.compile(backend="eager")
def best(scores, k):
    return scores.topk(k).indices


requests = [{"k": 3}, {"k": 5}, {"k": 2}]
for request in requests:
    best(torch.randn(10), request["k"])  #! recompile input
