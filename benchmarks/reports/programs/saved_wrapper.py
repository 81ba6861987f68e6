# the state dict of the compiled model is saved and loaded into the plain one
import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


buffer = io.BytesIO()
net = torch.compile(Net(), backend="eager")
net(torch.randn(1, 4))
torch.save({"model": net.state_dict()}, buffer)  #! error
buffer.seek(0)
plain = Net()
plain.load_state_dict(torch.load(buffer)["model"])  #! error
