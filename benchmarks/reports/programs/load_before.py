# loaded before it is compiled; pair_of=load_plain_into_compiled
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


checkpoint = Net().state_dict()
model = Net()
model.load_state_dict(checkpoint)
model = torch.compile(model, backend="eager")
model(torch.randn(1, 4))
