import torch
import torch.nn.functional as F
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 64), nn.Tanh())
        self.pi, self.v = nn.Linear(64, 4), nn.Linear(64, 1)

    def forward(self, obs):
        h = self.body(obs)
        return F.log_softmax(self.pi(h), -1), self.v(h).squeeze(-1)


agent = ActorCritic().cuda()
act = torch.compile(agent, mode="reduce-overhead")
opt = torch.optim.Adam(agent.parameters(), 3e-4)


def rollout(steps):
    obs = torch.randn(16, 8, device="cuda")
    values, logps, actions, seen = [], [], [], []
    for _ in range(steps):
        with torch.no_grad():
            logp, value = act(obs)
        action = torch.multinomial(logp.exp(), 1)
        values.append(value)
        logps.append(logp.gather(1, action))
        actions.append(action)
        seen.append(obs)
        obs = torch.randn(16, 8, device="cuda")
    return torch.cat(seen), torch.cat(actions), torch.cat(logps), torch.cat(values)


for _ in range(2):
    obs, action, old, value = rollout(6)
    logp, v = agent(obs)
    ratio = (logp.gather(1, action) - old).exp()
    loss = -ratio.mean() + (v - value).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
