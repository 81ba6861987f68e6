# only the step itself is disabled; pair_of=disabled_training_step
import torch
from torch import nn

net = nn.Linear(4, 1)
loss_of = torch.compile(lambda x: net(x).mean(), backend="eager")


@torch.compiler.disable(recursive=False)
def step(x):
    loss = loss_of(x)
    loss.backward()
    return loss.item()


for _ in range(3):
    step(torch.randn(4, 4))
