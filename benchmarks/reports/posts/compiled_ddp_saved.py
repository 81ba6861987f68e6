# the compiled model is outside of distributed data parallel, and the plain module is saved; pair_of=ddp_of_compiled_saved
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
net = Net()
model = torch.compile(DDP(net), backend="eager")
model(torch.randn(2, 4)).sum().backward()
plain = Net()
plain.load_state_dict(net.state_dict())
dist.destroy_process_group()
