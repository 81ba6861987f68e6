# an EMA goes by names of the plain and the compiled module
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


net = Net()
ema = {k: v.clone() for k, v in net.state_dict().items()}
net = torch.compile(net, backend="eager")
net(torch.randn(1, 4))
for name, p in net.named_parameters():  #! error
    ema[name].lerp_(p.detach(), 0.1)  #! error
