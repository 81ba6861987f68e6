# the wrapper is taken off before the weights are saved
import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


def unwrap(model):
    return getattr(model, "_orig_mod", model)


model = torch.compile(Net(), backend="eager")
model(torch.randn(2, 4)).sum().backward()
file = io.BytesIO()
torch.save({"model": unwrap(model).state_dict(), "name": type(unwrap(model)).__name__}, file)
file.seek(0)
fresh = Net()
fresh.load_state_dict(torch.load(file)["model"])
print(sorted(fresh.state_dict()))
