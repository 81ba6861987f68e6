# weights of the wrapper are loaded into a plain model
import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


def save_checkpoint(model, file):
    torch.save({"state_dict": model.state_dict()}, file)  #! error


def load_checkpoint(file):
    net = Net()
    net.load_state_dict(torch.load(file)["state_dict"])  #! error
    return net


model = torch.compile(Net(), backend="eager")
model(torch.randn(2, 4)).sum().backward()
file = io.BytesIO()
save_checkpoint(model, file)  #! error
file.seek(0)
restored = load_checkpoint(file)
