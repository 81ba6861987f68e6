# the largest number is taken inside and cut outside; pair_of=topk_of_request
import torch


@torch.compile(backend="eager")
def best(scores):
    return scores.topk(5).indices


requests = [{"k": 3}, {"k": 5}, {"k": 2}]
for request in requests:
    best(torch.randn(10))[: request["k"]]
