# the prompt is read by the plain model, and only decoding is compiled; pair_of=prefill_then_decode
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


def decode_one(model, tok, pos):
    return model(tok, pos)[:, -1:].argmax(-1)


@torch.no_grad()
def generate(model, prompt, n):
    step = torch.compile(decode_one, backend="eager", fullgraph=True)
    pos = torch.arange(prompt.shape[1])
    nxt = model(prompt, pos)[:, -1:].argmax(-1)
    input_pos = torch.tensor([prompt.shape[1]])
    for _ in range(n):
        nxt = step(model, nxt, input_pos)
        input_pos += 1
    return nxt


generate(TinyGPT(), torch.tensor([[1, 2, 3, 4]]), 5)
