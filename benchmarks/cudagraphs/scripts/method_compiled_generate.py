import torch
from torch import nn
class Lm(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.o = nn.Embedding(50, 64), nn.Linear(64, 50)
        self.step = torch.compile(self.step_, mode="reduce-overhead")

    def step_(self, token):
        return self.o(self.e(token))

    @torch.no_grad()
    def generate(self, n):
        token, scores = torch.zeros(1, dtype=torch.long, device="cuda"), []
        for _ in range(n):
            logits = self.step(token)
            scores.append(logits)
            token = logits.argmax(-1)
        return torch.stack(scores)


lm = Lm().cuda().eval()
for _ in range(2):
    print(lm.generate(5).mean().item())
