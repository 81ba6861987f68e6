# the warm up is in inference mode, training follows
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net(), backend="eager")
with torch.inference_mode():
    model(torch.zeros(2, 4))  #! recompile state
for _ in range(2):
    model(torch.randn(2, 4)).sum().backward()  #! recompile state
