# a target network is built by the name of the class; pair_of=target_network_of_type
import torch
from torch import nn


class Q(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.fc = nn.Linear(obs, act)

    def forward(self, x):
        return self.fc(x)


online = Q(4, 2)
target = Q(4, 2)
target.load_state_dict(online.state_dict())
target.requires_grad_(False)
q = torch.compile(online, backend="eager")
for _ in range(2):
    with torch.no_grad():
        goal = target(torch.randn(1, 4)).max()
    (q(torch.randn(1, 4)) - goal).square().sum().backward()
