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


class Storage:
    def __init__(self, steps, envs):
        self.obs = torch.zeros(steps, envs, 8, device="cuda")
        self.logp = torch.zeros(steps, envs, 1, device="cuda")
        self.value = torch.zeros(steps, envs, device="cuda")
        self.action = torch.zeros(steps, envs, 1, dtype=torch.long, device="cuda")


agent = ActorCritic().cuda()
act = torch.compile(agent, mode="reduce-overhead")
opt = torch.optim.Adam(agent.parameters(), 3e-4)
store = Storage(6, 16)
for _ in range(2):
    obs = torch.randn(16, 8, device="cuda")
    for t in range(6):
        with torch.no_grad():
            logp, value = act(obs)
        action = torch.multinomial(logp.exp(), 1)
        store.obs[t], store.value[t], store.action[t] = obs, value, action
        store.logp[t] = logp.gather(1, action)
        obs = torch.randn(16, 8, device="cuda")
    logp, v = agent(store.obs.flatten(0, 1))
    ratio = (logp.gather(1, store.action.flatten(0, 1)) - store.logp.flatten(0, 1)).exp()
    loss = -ratio.mean() + (v - store.value.flatten()).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
