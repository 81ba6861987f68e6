# evaluation after each epoch
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(self.drop(x))


def train(model, x):
    model.train()  #! recompile state
    model(x).sum().backward()  #! recompile state


def evaluate(model, x):
    model.eval()  #! recompile state
    return model(x).argmax(-1)  #! recompile state


net = torch.compile(Net(), backend="eager")
x = torch.randn(2, 4)
for epoch in range(2):
    train(net, x)
    evaluate(net, x)  #! recompile state
