# each request compiles the model
import torch
from torch import nn

MODEL = nn.Linear(4, 4)


def handle(x):
    model = torch.compile(MODEL, backend="eager")  #! slow
    return model(x)


for _ in range(3):
    handle(torch.ones(1, 4))
