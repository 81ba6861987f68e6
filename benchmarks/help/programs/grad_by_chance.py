# the input requires gradients in some calls, by a draw
# thread: pytorch/pytorch#158642: draw in Python before the call
# help: before | outside
import torch
from torch import nn


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 1)

    def forward(self, x):
        x = x.clone().requires_grad_(torch.rand(1).item() > 0.5)  #! break
        return torch.sigmoid(self.linear(x))


torch.manual_seed(0)
net = torch.compile(Perceptron(), backend="eager")
print(net(torch.ones(3, 2)).shape)
