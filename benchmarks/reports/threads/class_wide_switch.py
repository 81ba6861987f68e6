# a switch of the class is set between two calls
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
        if self.use_sdpa:  #! recompile state
            return F.scaled_dot_product_attention(q, k, v)
        w = torch.softmax(q @ k.transpose(-2, -1) / 8**0.5, -1)
        return w @ v


attn = torch.compile(Attention().eval(), backend="eager")
x = torch.randn(2, 5, 8)
with torch.no_grad():
    naive = attn(x)
    Attention.use_sdpa = True  #! recompile state
    fused = attn(x)
print(torch.allclose(naive, fused, atol=1e-4))
