# the function is compiled once and scales by a tensor; pair_of=partial_each_request
import torch


@torch.compile(backend="eager")
def scale(x, by):
    return x * by


def handle(x, by):
    return scale(x, torch.tensor(by))


for by in (2, 3, 5):
    handle(torch.randn(3), by)
