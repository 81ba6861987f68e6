# a captured scalar is only used in arithmetic; pair_of=captured_scalar_tested
import torch

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile(fullgraph=True, backend="eager")
def cut(x, n):
    k = n.item()
    return x * k


for number in (5, 2, 7):
    cut(torch.randn(8), torch.tensor(number))
