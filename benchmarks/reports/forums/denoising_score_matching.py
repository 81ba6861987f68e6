# the denoising form needs one derivative only; pair_of=sliced_score_matching
import torch
from torch import nn


class Score(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, x):
        return self.net(x)


score = torch.compile(Score(), backend="aot_eager")
opt = torch.optim.Adam(score.parameters(), lr=1e-3)
sigma = 0.1
for _ in range(2):
    x = torch.randn(8, 2)
    eps = torch.randn_like(x)
    s = score(x + sigma * eps)
    loss = (s * sigma + eps).square().sum(-1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
