# a single process of distributed data parallel over a compiled model saves its module
import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


store = os.path.join(tempfile.mkdtemp(), "store")
dist.init_process_group("gloo", init_method=f"file://{store}", rank=0, world_size=1)
model = DDP(torch.compile(Net(), backend="eager"))
model(torch.randn(2, 4)).sum().backward()
plain = Net()
plain.load_state_dict(model.module.state_dict())  #! error
dist.destroy_process_group()
