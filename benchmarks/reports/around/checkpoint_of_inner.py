# the state of the plain model is loaded into a plain model; pair_of=checkpoint_of_wrapper
import io

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU())


model = torch.compile(build(), backend="eager")
model(torch.ones(1, 4))
file = io.BytesIO()
torch.save({"model": getattr(model, "_orig_mod", model).state_dict()}, file)
file.seek(0)
fresh = build()
fresh.load_state_dict(torch.load(file)["model"])
