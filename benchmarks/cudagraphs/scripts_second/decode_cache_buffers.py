import torch
import torch.nn.functional as F
from torch import nn


class Decoder(nn.Module):
    def __init__(self, d=32, vocab=64, length=16):
        super().__init__()
        self.emb, self.qkv, self.head = nn.Embedding(vocab, d), nn.Linear(d, 3 * d), nn.Linear(d, vocab)
        self.register_buffer("k_cache", torch.zeros(2, length, d), persistent=False)
        self.register_buffer("v_cache", torch.zeros(2, length, d), persistent=False)
        self.register_buffer("places", torch.arange(length), persistent=False)

    def forward(self, token, pos):
        q, k, v = self.qkv(self.emb(token)).chunk(3, -1)
        self.k_cache.index_copy_(1, pos, k)
        self.v_cache.index_copy_(1, pos, v)
        mask = (self.places <= pos)[None, None, :]
        y = F.scaled_dot_product_attention(q, self.k_cache, self.v_cache, attn_mask=mask)
        return self.head(y[:, -1])


model = Decoder().cuda().eval()
step = torch.compile(model, mode="reduce-overhead", fullgraph=True)


@torch.inference_mode()
def generate(token, n):
    pos = torch.zeros(1, dtype=torch.long, device="cuda")
    out = [token]
    for _ in range(n):
        token = step(token, pos).argmax(-1, keepdim=True)
        out.append(token)
        pos += 1
    return torch.cat(out, 1)


print(generate(torch.zeros(2, 1, dtype=torch.long, device="cuda"), 8).tolist())
