# the switch of the class is set before the first call; pair_of=class_wide_switch
import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    use_sdpa = False

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        if self.use_sdpa:
            return F.scaled_dot_product_attention(q, k, v)
        w = torch.softmax(q @ k.transpose(-2, -1) / 8**0.5, -1)
        return w @ v


Attention.use_sdpa = True
attn = torch.compile(Attention().eval(), backend="eager")
with torch.no_grad():
    for _ in range(3):
        fused = attn(torch.randn(2, 5, 8))
