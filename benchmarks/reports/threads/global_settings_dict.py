# a dictionary of settings is changed between calls
import torch

SETTINGS = {"clip": 1.0, "bias": True}


@torch.compile(backend="eager")
def transform(x):
    if SETTINGS["bias"]:  #! recompile state
        x = x + 1
    return x.clamp(-SETTINGS["clip"], SETTINGS["clip"])  #! recompile state


x = torch.randn(8)
first = transform(x)
SETTINGS["clip"] = 2.0  #! recompile state
second = transform(x)
SETTINGS.update(bias=False)  #! recompile state
third = transform(x)
