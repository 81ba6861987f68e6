# the model is cast to half precision after a first call
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


model = torch.compile(Net().eval(), backend="eager")
x = torch.randn(2, 4)
with torch.no_grad():
    reference = model(x)
    model.to(torch.bfloat16)  #! recompile state
    fast = model(x.bfloat16())  #! recompile state
print((reference - fast.float()).abs().max() < 0.1)
