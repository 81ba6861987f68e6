import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, d=32, n=16):
        super().__init__()
        self.qkv, self.bias = nn.Linear(d, 3 * d), nn.Embedding(2 * n, 1)
        i = torch.arange(n)
        self.register_buffer("index", i[:, None] - i[None] + n, persistent=False)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        bias = self.bias(self.index).squeeze(-1)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)


attn = torch.compile(Attention().cuda().eval(), mode="reduce-overhead")
with torch.no_grad():
    for _ in range(6):
        attn(torch.randn(4, 16, 32, device="cuda"))
