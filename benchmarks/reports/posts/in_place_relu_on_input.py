# the input of the compiled block is changed in place, and the caller uses it again
import torch
from torch import nn

block = torch.compile(nn.Sequential(nn.ReLU(inplace=True), nn.Linear(4, 4)), backend="aot_eager")
with torch.no_grad():
    x = torch.tensor([[-1.0, 2.0, -3.0, 4.0]])
    block(x)
    print(x.tolist())
