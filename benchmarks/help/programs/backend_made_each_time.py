# the backend is made again for each block that is compiled
# thread: pytorch/pytorch#168373: make the backend once and hand the same object to each torch.compile
# help: once | same | module | one backend | share
import torch
from functorch.compile import nop
from torch import nn
from torch._dynamo.backends.common import aot_autograd


class Block(nn.Module):
    def forward(self, x):
        return torch.sin(x)


def compiled(block):
    return torch.compile(block, backend=aot_autograd(fw_compiler=nop, bw_compiler=nop))  #! recompile instance


blocks = [compiled(Block()) for _ in range(3)]
x = torch.ones(3)
for block in blocks:
    x = block(x)  #! recompile instance
print(x)
