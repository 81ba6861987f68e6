# a checkpoint of the plain model is loaded into the compiled one
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


checkpoint = Net().state_dict()
model = torch.compile(Net(), backend="eager")
model.load_state_dict(checkpoint)  #! error
