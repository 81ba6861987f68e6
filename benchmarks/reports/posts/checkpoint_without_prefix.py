# the prefix of the wrapper is taken off before the plain model loads; pair_of=checkpoint_of_wrapper_resumed
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
    torch.save({"model": model.state_dict(), "epoch": 1}, to)


def evaluate(source):
    model = Net()
    state = torch.load(source)["model"]
    state = {key.removeprefix("_orig_mod."): value for key, value in state.items()}
    model.load_state_dict(state)
    return model.eval()


model = torch.compile(Net(), backend="eager")
model(torch.randn(3, 4)).sum().backward()
buffer = io.BytesIO()
save(model, buffer)
buffer.seek(0)
evaluate(buffer)
