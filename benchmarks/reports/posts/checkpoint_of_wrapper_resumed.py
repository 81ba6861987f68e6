# a checkpoint of the wrapper is loaded into the plain model of the evaluation
import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


def save(model, to):
    torch.save({"model": model.state_dict(), "epoch": 1}, to)  #! error


def evaluate(source):
    model = Net()
    model.load_state_dict(torch.load(source)["model"])  #! error
    return model.eval()


model = torch.compile(Net(), backend="eager")
model(torch.randn(3, 4)).sum().backward()
buffer = io.BytesIO()
save(model, buffer)  #! error
buffer.seek(0)
evaluate(buffer)
