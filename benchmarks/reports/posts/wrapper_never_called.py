# only parts of the compiled agent are called
import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Linear(4, 2)
        self.critic = nn.Linear(4, 1)

    def forward(self, x):
        return self.actor(x), self.critic(x)


agent = torch.compile(Agent(), backend="eager")  #! slow
for _ in range(2):
    obs = torch.randn(3, 4)
    action = agent.actor(obs).argmax(-1)  #! slow
    agent.critic(obs).mean().backward()  #! slow
