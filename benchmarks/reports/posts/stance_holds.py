# the stance fails on recompilation, and all sizes were warmed; pair_of=stance_raises
import torch
from torch import nn

model = torch.compile(nn.Linear(4, 4).eval(), backend="eager")


@torch.no_grad()
def serve(sizes):
    model(torch.randn(1, 4))
    torch.compiler.set_stance("fail_on_recompile")
    for n in sizes:
        model(torch.randn(n, 4))


serve([1, 1, 1])
