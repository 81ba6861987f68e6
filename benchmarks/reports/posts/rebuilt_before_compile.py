# the target network is built first and the online network compiled then; pair_of=rebuilt_from_class
import torch
from torch import nn


class QNet(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.fc = nn.Linear(obs, actions)

    def forward(self, x):
        return self.fc(x)


class DQN:
    def __init__(self, q, obs, actions):
        self.target = type(q)(obs, actions)
        self.target.load_state_dict(q.state_dict())
        self.q = torch.compile(q, backend="eager")


agent = DQN(QNet(4, 2), 4, 2)
agent.q(torch.randn(3, 4))
