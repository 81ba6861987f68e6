# the training loop counts on the model, which does not read it; pair_of=step_counter_outside
import torch
from torch import nn


class Warm(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.lin = nn.Linear(4, 1)

    def forward(self, x):
        return self.lin(x).mean()


model = Warm()
compiled = torch.compile(model, backend="eager")
for i in range(4):
    model.step = i
    compiled(torch.ones(2, 4)).backward()
