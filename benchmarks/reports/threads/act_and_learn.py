# the policy acts on one observation and learns from a batch
import random

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, obs=4, act=2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, act))

    def forward(self, obs):
        return self.body(obs)


class Agent:
    def __init__(self):
        self.policy = torch.compile(Policy(), backend="eager")
        self.opt = torch.optim.Adam(self.policy.parameters())
        self.memory = []

    def act(self, obs):
        with torch.no_grad():
            return self.policy(obs.unsqueeze(0)).argmax(-1).item()  #! recompile input

    def learn(self):
        batch = random.sample(self.memory, 8)
        obs = torch.stack([o for o, _ in batch])
        target = torch.tensor([a for _, a in batch])
        loss = nn.functional.cross_entropy(self.policy(obs), target)  #! recompile input
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()


agent = Agent()
for step in range(24):
    obs = torch.randn(4)
    agent.memory.append((obs, agent.act(obs)))
    if step >= 12:
        agent.learn()
