# a hypernetwork initialises weights in the forward
# thread: pytorch/pytorch#194768: draw outside, or torch.randn(...).clamp in place of trunc_normal_
# help: outside | randn | clamp | __init__
import torch
from torch import nn


def make_noise(x):
    noise = torch.empty_like(x)
    nn.init.trunc_normal_(noise, std=0.02)  #! break
    return x + noise


fast = torch.compile(make_noise, backend="eager")
print(fast(torch.zeros(3)).shape)
