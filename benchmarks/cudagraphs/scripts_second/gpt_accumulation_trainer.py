import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).split(d, dim=2)
        q, k, v = (y.view(b, t, self.h, d // self.h).transpose(1, 2) for y in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = Attention(d, h)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))


class GPT(nn.Module):
    def __init__(self, vocab=128, d=64, layers=2, block=32):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(block, d)
        self.blocks = nn.ModuleList(Block(d, 2) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)

    def forward(self, idx, targets=None):
        x = self.tok(idx) + self.pos(torch.arange(idx.shape[1], device=idx.device))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))


class Trainer:
    accumulation = 4
    clip = 1.0

    def __init__(self, model):
        self.raw = model
        self.model = torch.compile(model, mode="reduce-overhead")
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)

    def batch(self):
        data = torch.randint(0, 128, (4, 33), device="cuda")
        return data[:, :-1].contiguous(), data[:, 1:].contiguous()

    def fit(self, iterations):
        for it in range(iterations):
            lr = 3e-4 * 0.5 * (1 + math.cos(math.pi * it / iterations))
            for group in self.optimizer.param_groups:
                group["lr"] = lr
            for _ in range(self.accumulation):
                x, y = self.batch()
                _, loss = self.model(x, y)
                (loss / self.accumulation).backward()
            nn.utils.clip_grad_norm_(self.raw.parameters(), self.clip)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)


if __name__ == "__main__":
    Trainer(GPT().cuda()).fit(4)
