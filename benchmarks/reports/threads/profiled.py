# a compiled model is profiled after a first call
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net().eval(), backend="eager")
x = torch.randn(2, 4)
with torch.no_grad():
    for _ in range(2):
        model(x)
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        model(x)
print(len(prof.key_averages()) > 0)
