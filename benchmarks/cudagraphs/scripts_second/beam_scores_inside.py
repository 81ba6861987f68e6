import torch
from torch import nn


class Beam(nn.Module):
    def __init__(self, d=32, vocab=64):
        super().__init__()
        self.emb, self.rnn, self.head = nn.Embedding(vocab, d), nn.Linear(d, d), nn.Linear(d, vocab)

    def forward(self, tokens, scores):
        logp = self.head(torch.tanh(self.rnn(self.emb(tokens)))).log_softmax(-1)
        total = (scores[:, None] + logp).flatten()
        scores, index = total.topk(4)
        return scores, index % logp.shape[1], index // logp.shape[1]


beam = torch.compile(Beam().cuda().eval(), mode="reduce-overhead")
tokens = torch.zeros(4, dtype=torch.long, device="cuda")
scores = torch.zeros(4, device="cuda")
paths = []
with torch.no_grad():
    for _ in range(8):
        scores, tokens, parents = beam(tokens, scores)
        paths.append((tokens.tolist(), parents.tolist()))
print(scores.tolist(), len(paths))
