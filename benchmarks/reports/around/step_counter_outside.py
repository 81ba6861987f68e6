# the training loop counts on the model, which reads the count
import torch
from torch import nn


class Warm(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
        self.lin = nn.Linear(4, 1)

    def forward(self, x):
        weight = min(1.0, self.step / 10)
        return self.lin(x).mean() * weight


model = Warm()
compiled = torch.compile(model, backend="eager")
for i in range(4):
    model.step = i  #! recompile state
    compiled(torch.ones(2, 4)).backward()  #! recompile state
