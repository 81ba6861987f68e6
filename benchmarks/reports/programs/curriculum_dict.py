# the resolution follows a schedule in a dictionary
import torch
from torch import nn

SCHEDULE = {0: 16, 2: 24, 4: 32}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x):
        return self.conv(x).mean()


net = torch.compile(Net(), backend="eager")
res = 16
for epoch in range(6):
    res = SCHEDULE.get(epoch, res)
    net(torch.randn(2, 3, res, res))  #! recompile input
