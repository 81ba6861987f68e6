# numbers of beams differ and the dimension is marked
import torch


@torch.compile(backend="eager")
def rescore(beams):
    return beams.log_softmax(-1).sum(1)


for count in (3, 5, 8):
    beams = torch.randn(count, 4, 6)
    torch._dynamo.mark_dynamic(beams, 0)
    rescore(beams)
