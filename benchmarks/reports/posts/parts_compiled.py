# the parts are compiled; pair_of=wrapper_never_called
import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Linear(4, 2)
        self.critic = nn.Linear(4, 1)

    def forward(self, x):
        return self.actor(x), self.critic(x)


agent = Agent()
agent.actor.compile(backend="eager")
agent.critic.compile(backend="eager")
for _ in range(2):
    obs = torch.randn(3, 4)
    action = agent.actor(obs).argmax(-1)
    agent.critic(obs).mean().backward()
