# labels are given in training and not in evaluation
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x, labels=None):
        logits = self.fc(x)
        if labels is None:
            return logits
        return nn.functional.cross_entropy(logits, labels)


def train_step(model, x, y):
    model(x, labels=y).backward()  #! recompile input


def predict(model, x):
    return model(x).argmax(-1)  #! recompile input


clf = torch.compile(Classifier(), backend="eager")
x, y = torch.randn(2, 4), torch.tensor([0, 2])
train_step(clf, x, y)
predict(clf, x)
