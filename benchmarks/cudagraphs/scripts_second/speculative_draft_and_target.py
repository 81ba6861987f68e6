import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, d, vocab=64):
        super().__init__()
        self.emb, self.mix, self.head = nn.Embedding(vocab, d), nn.Linear(d, d), nn.Linear(d, vocab)

    def forward(self, ids):
        h = self.emb(ids)
        return self.head(torch.relu(self.mix(h.cumsum(1))))


draft = torch.compile(LM(16).cuda().eval(), mode="reduce-overhead")
target = torch.compile(LM(64).cuda().eval(), mode="reduce-overhead")
ids = torch.randint(0, 64, (1, 8), device="cuda")
accepted = 0
with torch.inference_mode():
    for _ in range(6):
        guess = draft(ids)
        check = target(ids)
        agree = guess.argmax(-1) == check.argmax(-1)
        accepted += agree.sum().item()
        ids = torch.cat([ids[:, 1:], check[:, -1:].argmax(-1)], 1)
print(accepted)
