# prompts are padded to one number of words; pair_of=prompts_of_words
import torch
from torch import nn

VOCAB = {w: i for i, w in enumerate("<pad> the cat sat on a mat and looked at me".split())}
MAX = 8


class TextModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(VOCAB), 8)
        self.out = nn.Linear(8, 2)

    def forward(self, ids):
        return self.out(self.emb(ids).mean(1))


def encode(text):
    ids = [VOCAB[w] for w in text.split()]
    return torch.tensor([ids + [0] * (MAX - len(ids))])


model = torch.compile(TextModel(), backend="eager")
prompts = ["the cat sat", "the cat sat on a mat", "the cat looked at me"]
for p in prompts:
    print(model(encode(p)).shape)
