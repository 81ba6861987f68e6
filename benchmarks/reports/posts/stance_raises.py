# the stance fails on recompilation in a server that meets another size
import torch
from torch import nn

model = torch.compile(nn.Linear(4, 4).eval(), dynamic=False, backend="eager")


@torch.no_grad()
def serve(sizes):
    model(torch.randn(1, 4))
    torch.compiler.set_stance("fail_on_recompile")
    for n in sizes:
        model(torch.randn(n, 4))  #! error


serve([1, 1, 2])  #! error
