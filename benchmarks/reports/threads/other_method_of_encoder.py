# the encoder is compiled and only its embed is called
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def embed(self, x):
        return self.fc(x).relu()

    def forward(self, x):
        return self.embed(x).mean(-1)


class Search(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.compile(Encoder(), backend="eager")  #! slow

    def score(self, q, docs):
        return self.encoder.embed(q) @ self.encoder.embed(docs).T


search = Search().eval()
with torch.no_grad():
    for _ in range(2):
        search.score(torch.randn(1, 4), torch.randn(3, 4))
