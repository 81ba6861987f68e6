# texts are joined to one row with offsets
import torch
from torch import nn
from torch.utils.data import DataLoader

TEXTS = [(0, [1, 2, 3]), (1, [4, 5]), (0, [6, 3, 2]), (1, [2, 3, 4, 5]), (1, [7]), (0, [8, 9, 1])]


def collate_batch(batch):
    labels, texts, offsets = [], [], [0]
    for label, tokens in batch:
        labels.append(label)
        texts.append(torch.tensor(tokens))
        offsets.append(len(tokens))
    return torch.tensor(labels), torch.cat(texts), torch.tensor(offsets[:-1]).cumsum(0)  #! recompile input


class TextClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.EmbeddingBag(20, 8)
        self.fc = nn.Linear(8, 2)

    def forward(self, text, offsets):
        return self.fc(self.embedding(text, offsets))


model = torch.compile(TextClassifier(), backend="eager")
for label, text, offsets in DataLoader(TEXTS, batch_size=2, collate_fn=collate_batch):
    loss = nn.functional.cross_entropy(model(text, offsets), label)  #! recompile input
    loss.backward()
