# a table is first made in inference mode and then trained with
import torch
from torch import nn


class Rope(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.table = None

    def forward(self, x):
        if self.table is None:
            self.table = torch.linspace(0, 1, 4)  #! error
        return self.fc(x) * self.table  #! error


model = torch.compile(Rope(), backend="aot_eager")
with torch.inference_mode():
    model(torch.randn(2, 4))  #! error, recompile input
model(torch.randn(2, 4)).sum().backward()  #! error, recompile input
