# a server that pads every request
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, ids):
        return self.out(self.emb(ids).mean(1))


model = torch.compile(Net().eval(), backend="eager")


def predict(tokens, length=16):
    padded = tokens[:length] + [0] * (length - len(tokens))
    ids = torch.tensor([padded])
    with torch.no_grad():
        return model(ids).argmax(-1).item()


for text in ([1, 2, 3], [4, 5], [6, 7, 8, 9]):
    predict(text)
