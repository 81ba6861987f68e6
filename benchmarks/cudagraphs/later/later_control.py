"""Reinforcement learning: rollouts, returns, action spaces, running statistics, replay."""

import torch
from torch import nn
from torch.distributions import Categorical, Normal
from torch.nn import functional as F


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
        self.log_std = nn.Parameter(torch.zeros(2))
        self.register_buffer("scale", torch.tensor([1.0, 0.5]))
        self.register_buffer("bias", torch.tensor([0.0, 0.5]))

    def forward(self, x):
        mean = self.net(x)
        std = self.log_std.exp()
        u = mean + std * torch.randn_like(mean)
        return torch.tanh(u) * self.scale + self.bias


def make_actor_scaled_by_buffers():
    return Actor(), [((torch.randn(4, 6),), {})]


class PlainActor(Actor):
    def __init__(self):
        super().__init__()
        self.low, self.high = torch.tensor(-1.0), torch.tensor(1.0)

    def forward(self, x):
        action = self.net(x)
        return action.clamp(self.low, self.high)


def make_actor_clamped_by_host_numbers():
    return PlainActor(), [((torch.randn(4, 6),), {})]


class ScaledActor(Actor):
    def __init__(self):
        super().__init__()
        self.action_scale = torch.tensor(0.5)

    def forward(self, x):
        return torch.tanh(self.net(x)) * self.action_scale


def make_actor_scaled_by_host_number():
    return ScaledActor(), [((torch.randn(4, 6),), {})]


class Discrete(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Linear(6, 3)
        self.critic = nn.Linear(6, 1)

    def forward(self, x):
        logits = self.actor(x)
        action = torch.argmax(logits - torch.log(-torch.log(torch.rand_like(logits))), dim=-1)
        logp = F.log_softmax(logits, -1).gather(1, action[:, None]).squeeze(1)
        return action, logp, self.critic(x).flatten()


def make_discrete_policy():
    return Discrete(), [((torch.randn(4, 6),), {})]


def categorical_without_checks(logits):
    d = Categorical(logits=logits, validate_args=False)
    action = d.sample()
    return action, d.log_prob(action), d.entropy()


def make_categorical():
    return categorical_without_checks, [((torch.randn(4, 3),), {})]


def normal_log_prob(mean, action):
    return Normal(mean, 1.0, validate_args=False).log_prob(action).sum(-1)


def make_normal_log_prob():
    return normal_log_prob, [((torch.randn(4, 2), torch.randn(4, 2)), {})]


def advantages(rewards, values, dones, gamma=0.99, lam=0.95):
    out = torch.zeros_like(rewards)
    last = torch.zeros(rewards.shape[1], device=rewards.device)
    for t in reversed(range(rewards.shape[0] - 1)):
        delta = rewards[t] + gamma * values[t + 1] * (1 - dones[t]) - values[t]
        last = delta + gamma * lam * (1 - dones[t]) * last
        out[t] = last
    return out


def make_advantages():
    return advantages, [(tuple(torch.rand(5, 2) for _ in range(3)), {})]


def advantages_host_start(rewards, gamma=0.99):
    total = torch.tensor(0.0)
    out = []
    for t in reversed(range(rewards.shape[0])):
        total = rewards[t] + gamma * total
        out.append(total)
    return torch.stack(out)


def make_returns_from_host_zero():
    return advantages_host_start, [((torch.rand(5, 2),), {})]


def filled_in(rewards, out):
    total = torch.zeros_like(rewards[0])
    for t in range(rewards.shape[0]):
        total = rewards[t] + 0.99 * total
        out[t] = total
    return out.mean()


def make_returns_written_to_argument():
    return filled_in, [((torch.rand(5, 2), torch.zeros(5, 2)), {})]


class RunningNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(6))
        self.register_buffer("count", torch.tensor(1e-4))

    def forward(self, x):
        self.count += x.shape[0]
        self.mean += (x.mean(0) - self.mean) * x.shape[0] / self.count
        return x - self.mean


def make_running_norm_of_buffers():
    return RunningNorm(), [((torch.randn(4, 6),), {})]


class RunningMean:
    def __init__(self):
        self.mean = torch.zeros(6)
        self.count = 1e-4

    def __call__(self, x):
        return (x - self.mean.to(x.device)) / self.count


def make_running_mean_object():
    return RunningMean(), [((torch.randn(4, 6),), {})]


class RunningMeanUpdated:
    def __init__(self):
        self.mean = None

    def __call__(self, x):
        now = x.mean(0)
        self.mean = now if self.mean is None else self.mean * 0.9 + now * 0.1
        return x - self.mean


def make_running_mean_rebound():
    return RunningMeanUpdated(), [((torch.randn(4, 6),), {})]


def polyak(source, target, tau=0.005):
    torch._foreach_lerp_(target, source, tau)


def make_polyak_of_lists():
    return polyak, [(([torch.randn(3), torch.randn(2)], [torch.randn(3), torch.randn(2)]), {})]


class Twin(nn.Module):
    def __init__(self):
        super().__init__()
        self.online, self.target = nn.Linear(6, 3), nn.Linear(6, 3)

    def forward(self, x):
        with torch.no_grad():
            for p, q in zip(self.online.parameters(), self.target.parameters()):
                q.lerp_(p, 0.005)
        return self.online(x) - self.target(x)


def make_target_updated_inside():
    return Twin(), [((torch.randn(4, 6),), {})]


def td_target(q_next, rewards, dones, gamma):
    return rewards + gamma * (1 - dones.float()) * q_next.max(dim=1).values


def make_td_target_with_fixed_gamma():
    args = (torch.randn(4, 3), torch.rand(4), torch.zeros(4, dtype=torch.bool), 0.99)
    return td_target, [(args, {}), (args, {})]


def exploring(q, epsilon):
    greedy = q.argmax(1)
    random = torch.randint(0, q.shape[1], greedy.shape, device=q.device)
    return torch.where(torch.rand(greedy.shape, device=q.device) < epsilon, random, greedy)


def make_exploring_with_annealed_epsilon():
    q = torch.randn(4, 3)
    return exploring, [((q, 0.9), {}), ((q, 0.7), {})]


def exploring_random_on_host(q):
    greedy = q.argmax(1)
    random = torch.randint(0, q.shape[1], greedy.shape)
    keep = torch.rand(greedy.shape) < 0.1
    return torch.where(keep.to(q.device), random.to(q.device), greedy)


def make_exploring_random_on_host():
    return exploring_random_on_host, [((torch.randn(4, 3),), {})]


class Replay:
    def __init__(self):
        self.store = torch.zeros(10, 6)

    def sample(self, x, index):
        return x + self.store[index.cpu()].to(x.device)


def make_replay_on_host():
    return Replay().sample, [((torch.randn(4, 6), torch.tensor([1, 2, 3, 4])), {})]


def clipped_surrogate(ratio, advantage, clip=0.2):
    a = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    return torch.max(-a * ratio, -a * torch.clamp(ratio, 1 - clip, 1 + clip)).mean()


def make_clipped_surrogate():
    return clipped_surrogate, [((torch.rand(8), torch.randn(8)), {})]


def stepped(state, action):
    state[:, 0] += 0.05 * state[:, 1]
    state[:, 1] += 0.05 * action
    reward = -state.pow(2).sum(-1)
    return state, reward


def make_environment_in_place():
    return stepped, [((torch.randn(4, 2), torch.randn(4)), {})]


def stepped_to_new(state, action):
    position = state[:, 0] + 0.05 * state[:, 1]
    speed = state[:, 1] + 0.05 * action
    return torch.stack([position, speed], -1), -position.pow(2)


def make_environment_returned():
    return stepped_to_new, [((torch.randn(4, 2), torch.randn(4)), {})]


def reset_where_done(state, done):
    state[done] = torch.zeros(2, device=state.device)
    return state * 1.0


def make_reset_by_mask():
    return reset_where_done, [((torch.randn(4, 2), torch.tensor([True, False, True, False])), {})]
