# a configuration object is an argument, another one in the second run
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Options:
    causal: bool = True
    heads: int = 2


@torch.compile(backend="eager")
def attention(x, options):
    q = x.view(x.shape[0], options.heads, -1)
    scores = q @ q.transpose(1, 2)
    return scores.tril() if options.causal else scores


x = torch.randn(2, 8)
attention(x, Options())  #! recompile input
attention(x, Options(causal=False))  #! recompile input
