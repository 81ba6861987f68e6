import torch
from torch import nn

emb = nn.Embedding(64, 32).cuda()


class Step(nn.Module):
    def __init__(self, d=32, vocab=64):
        super().__init__()
        self.emb, self.rnn, self.head = nn.Embedding(vocab, d), nn.Linear(d, d), nn.Linear(d, vocab)

    def forward(self, tokens):
        return self.head(torch.tanh(self.rnn(self.emb(tokens)))).log_softmax(-1)


step = torch.compile(Step().cuda().eval(), mode="reduce-overhead")
tokens = torch.zeros(4, dtype=torch.long, device="cuda")
scores = torch.zeros(4, device="cuda")
with torch.no_grad():
    for _ in range(8):
        total = (scores[:, None] + step(tokens)).flatten()
        scores, index = total.topk(4)
        tokens = index % 64
print(scores.tolist())
