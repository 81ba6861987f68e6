# one generator makes the batches of another
import torch
from torch import nn


def lengths():
    yield 6
    yield 6
    yield 9


def batches():
    for length in lengths():
        yield torch.randn(2, length, 4), torch.randn(2, length)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.Linear(4, 4)
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        return self.out(self.rnn(x).relu()).squeeze(-1)


tagger = Tagger()
tagger.compile(backend="eager")
opt = torch.optim.SGD(tagger.parameters(), lr=0.1)
for x, y in batches():
    loss = (tagger(x) - y).square().mean()  #! recompile input
    opt.zero_grad()
    loss.backward()
    opt.step()
