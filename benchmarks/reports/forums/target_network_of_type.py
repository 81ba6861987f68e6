# a target network is built by the class of the compiled one
import torch
from torch import nn


class Q(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.fc = nn.Linear(obs, act)

    def forward(self, x):
        return self.fc(x)


q = torch.compile(Q(4, 2), backend="eager")
target = type(q)(4, 2)  #! error
target.load_state_dict(q.state_dict())
print(q(torch.randn(1, 4)).shape, target(torch.randn(1, 4)).shape)
