# the file of a model is named after its printed form
import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Classifier(), backend="eager")
model(torch.randn(2, 4))
path = f"runs/{model._get_name().lower()}.pt"  #! wrong
print(path)
