import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm(x)).view(b, t, 3, 2, d // 2).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d)
        x = x + self.out(y)
        return x + self.mlp(x)


class GPT(nn.Module):
    def __init__(self, vocab=128, d=64):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.register_buffer("pos", torch.randn(32, d) * 0.02)
        self.blocks = nn.Sequential(Block(d), Block(d))
        self.head = nn.Linear(d, vocab)

    def forward(self, idx, targets):
        logits = self.head(self.blocks(self.tok(idx) + self.pos[: idx.shape[1]]))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


model = GPT().cuda()
step_fn = torch.compile(model, mode="reduce-overhead")
opt = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
for it in range(8):
    data = torch.randint(0, 128, (4, 33), device="cuda")
    loss = step_fn(data[:, :-1].contiguous(), data[:, 1:].contiguous())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    if it % 2 == 0:
        print(f"iter {it} loss {loss.item():.3f} norm {norm.item():.3f}")
