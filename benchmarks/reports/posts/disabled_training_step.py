# the training step that calls the compiled loss is disabled with all below it
import torch
from torch import nn

net = nn.Linear(4, 1)
loss_of = torch.compile(lambda x: net(x).mean(), backend="eager")  #! slow


@torch.compiler.disable  #! slow
def step(x):
    loss = loss_of(x)  #! slow
    loss.backward()
    return loss.item()


for _ in range(3):
    step(torch.randn(4, 4))
