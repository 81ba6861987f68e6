import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(100, 32), nn.Linear(32, 16)

    def forward(self, ids):
        return self.out(self.emb(ids).mean(1))


class CachedEncoder:
    def __init__(self):
        self.encode = torch.compile(Encoder().cuda().eval(), mode="reduce-overhead")
        self.cache = {}

    def __call__(self, text):
        if text not in self.cache:
            ids = torch.tensor([[ord(c) % 100 for c in text]], device="cuda")
            with torch.no_grad():
                self.cache[text] = self.encode(ids).cpu()
        return self.cache[text]


encoder = CachedEncoder()
for text in ("aaaa", "bbbb", "aaaa", "cccc", "bbbb", "dddd", "aaaa"):
    print(text, encoder(text).norm().item())
