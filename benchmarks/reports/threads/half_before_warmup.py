# the model is cast to half precision before its first call; pair_of=half_after_warmup
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net().eval(), backend="eager")
model.to(torch.bfloat16)
x = torch.randn(2, 4)
with torch.no_grad():
    for _ in range(3):
        fast = model(x.bfloat16())
