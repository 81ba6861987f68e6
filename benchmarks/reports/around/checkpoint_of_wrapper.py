# the state of the wrapper is loaded into a plain model
import io

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU())


model = torch.compile(build(), backend="eager")
model(torch.ones(1, 4))
file = io.BytesIO()
torch.save({"model": model.state_dict()}, file)  #! error
file.seek(0)
fresh = build()
fresh.load_state_dict(torch.load(file)["model"])  #! error
