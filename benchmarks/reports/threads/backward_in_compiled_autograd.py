# the compiled step calls backward under compiled autograd
import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)


@torch.compile(backend="eager")
def train_step(x, y):
    loss = (net(x) - y).pow(2).mean()
    loss.backward()  #! break
    return loss


for _ in range(3):
    x, y = torch.randn(4, 4), torch.randn(4, 1)
    train_step(x, y)
    opt.step()
    opt.zero_grad(set_to_none=False)
