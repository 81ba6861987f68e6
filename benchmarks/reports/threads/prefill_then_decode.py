# a prompt is read at once, then token after token
import torch
from torch import nn


class TinyGPT(nn.Module):
    def __init__(self, vocab=20, dim=8, ctx=32):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.head = nn.Linear(dim, vocab)
        self.register_buffer("cache", torch.zeros(1, ctx, dim))

    def forward(self, idx, pos):
        x = self.tok(idx)
        self.cache.index_copy_(1, pos, x)
        return self.head(x + self.cache.mean(1, keepdim=True))


@torch.no_grad()
def generate(model, prompt, n):
    pos = torch.arange(prompt.shape[1])
    logits = model(prompt, pos)  #! recompile input
    for i in range(n):
        nxt = logits[:, -1:].argmax(-1)
        pos = torch.tensor([prompt.shape[1] + i])
        logits = model(nxt, pos)  #! recompile input
    return logits


gpt = torch.compile(TinyGPT(), backend="eager")
generate(gpt, torch.tensor([[1, 2, 3, 4]]), 5)
