# a sampler shows its progress while compiled
# thread: huggingface/diffusers: compile the model, not the sampler
# help: outside | compile the
import sys

import torch
from torch import nn

net = nn.Linear(2, 2)


@torch.compile(backend="eager")
def sample(x):
    for i in range(3):
        x = x - 0.1 * net(x)
        sys.stderr.write(f"\r{i}")  #! break
    return x


torch.manual_seed(0)
with torch.no_grad():
    print(sample(torch.ones(1, 2)).shape)
