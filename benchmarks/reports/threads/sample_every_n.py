# samples are drawn in evaluation mode each few steps
import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.SiLU(), nn.Dropout(0.1), nn.Linear(8, 4))

    def forward(self, x, t):
        return self.net(x + t[:, None])


@torch.no_grad()
def sample(model, n):
    model.eval()  #! recompile state
    x = torch.randn(n, 4)
    for i in range(3):
        x = x - 0.1 * model(x, torch.full((n,), float(i)))  #! recompile state
    model.train()
    return x


model = torch.compile(Denoiser(), backend="eager")
opt = torch.optim.Adam(model.parameters())
for step in range(6):
    x, t = torch.randn(8, 4), torch.rand(8)
    loss = (model(x, t) - x).pow(2).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
    if step % 3 == 2:
        sample(model, 8)  #! recompile state
