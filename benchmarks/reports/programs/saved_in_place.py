# compiled in place, the keys stay; pair_of=saved_wrapper
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
net = Net()
net.compile(backend="eager")
net(torch.randn(1, 4))
torch.save({"model": net.state_dict()}, buffer)
buffer.seek(0)
plain = Net()
plain.load_state_dict(torch.load(buffer)["model"])
