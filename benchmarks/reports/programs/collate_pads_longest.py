# collate pads to the longest of a batch
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

SENTENCES = [torch.arange(n) for n in (3, 9, 4, 6, 12, 5)]


def collate(rows):
    return pad_sequence(rows, batch_first=True)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8)

    def forward(self, ids):
        return self.emb(ids).mean(1)


loader = DataLoader(SENTENCES, batch_size=2, collate_fn=collate)
net = torch.compile(Tagger(), backend="eager")
for ids in loader:
    net(ids)  #! recompile input
