# training runs under autocast, the evaluation does not
import torch
from torch import nn

model = torch.compile(nn.Linear(4, 4), backend="eager")


def run(train):
    x = torch.randn(2, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=train):  #! recompile state
        return model(x)  #! recompile state


run(True).sum().backward()
run(False)  #! recompile state
