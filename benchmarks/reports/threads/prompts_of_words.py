# prompts have other numbers of words
import torch
from torch import nn

VOCAB = {w: i for i, w in enumerate("the cat sat on a mat and looked at me".split())}


class TextModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(VOCAB), 8)
        self.out = nn.Linear(8, 2)

    def forward(self, ids):
        return self.out(self.emb(ids).mean(1))


def encode(text):
    return torch.tensor([[VOCAB[w] for w in text.split()]])


model = torch.compile(TextModel(), backend="eager")
prompts = ["the cat sat", "the cat sat on a mat", "the cat looked at me"]
for p in prompts:
    print(model(encode(p)).shape)  #! recompile input
