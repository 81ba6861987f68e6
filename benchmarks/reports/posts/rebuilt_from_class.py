# the target network is built from the class of the online network
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
        self.q = q
        self.target = type(q)(obs, actions)  #! error
        self.target.load_state_dict(q.state_dict())


agent = DQN(torch.compile(QNet(4, 2), backend="eager"), 4, 2)  #! error
agent.q(torch.randn(3, 4))
