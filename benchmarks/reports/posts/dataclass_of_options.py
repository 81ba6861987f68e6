# options are a dataclass whose number changes
from dataclasses import dataclass, replace

import torch


@dataclass(frozen=True)
class Options:
    steps: int = 1
    damp: bool = False


@torch.compile(backend="eager")
def relax(x, options):
    for _ in range(options.steps):
        x = x - 0.1 * x.sin()
    return x * 0.5 if options.damp else x


options = Options()
for steps in (1, 2, 4):
    relax(torch.randn(3), replace(options, steps=steps))  #! recompile input
