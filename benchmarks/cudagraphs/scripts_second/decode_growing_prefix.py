import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, d=32, vocab=64):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.layer = nn.TransformerEncoderLayer(d, 2, 64, batch_first=True, dropout=0.0)
        self.head = nn.Linear(d, vocab)

    def forward(self, ids):
        return self.head(self.layer(self.emb(ids))[:, -1])


lm = torch.compile(LM().cuda(), mode="reduce-overhead")
ids = torch.zeros(2, 4, dtype=torch.long, device="cuda")
with torch.no_grad():
    for _ in range(12):
        probs = lm(ids).softmax(-1)
        ids = torch.cat([ids, torch.multinomial(probs, 1)], dim=1)
print(ids.shape)
