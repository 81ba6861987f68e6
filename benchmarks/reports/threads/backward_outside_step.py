# the compiled step gives the loss, backward is outside; pair_of=backward_in_step
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)


@torch.compile(backend="eager")
def loss_of(x, y):
    return (net(x) - y).pow(2).mean()


for _ in range(3):
    x, y = torch.randn(4, 4), torch.randn(4, 1)
    opt.zero_grad(set_to_none=True)
    loss_of(x, y).backward()
    opt.step()
