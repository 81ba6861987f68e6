# the divergence of a compiled score is trained on
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
for _ in range(2):
    x = torch.randn(8, 2, requires_grad=True)
    v = torch.randn_like(x)
    s = score(x)
    gsv = torch.autograd.grad((s * v).sum(), x, create_graph=True)[0]  #! error
    loss = (0.5 * (s * v).sum(-1) ** 2 + (gsv * v).sum(-1)).mean()
    opt.zero_grad()
    loss.backward()  #! error
    opt.step()
