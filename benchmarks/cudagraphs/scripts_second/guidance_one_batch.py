import torch
from torch import nn


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.i, self.o = nn.Conv2d(4, 16, 3, padding=1), nn.Conv2d(16, 4, 3, padding=1)
        self.c = nn.Linear(8, 16)

    def forward(self, x, t, cond):
        return self.o(torch.relu(self.i(x) + self.c(cond)[:, :, None, None] + t[:, None, None, None]))


unet = torch.compile(UNet().cuda().eval(), mode="reduce-overhead")


@torch.no_grad()
def sample(cond, uncond, scale=7.5):
    x = torch.randn(2, 4, 16, 16, device="cuda")
    both = torch.cat([uncond, cond])
    for t in torch.linspace(1, 0, 6, device="cuda"):
        low, high = unet(torch.cat([x, x]), t.expand(4), both).chunk(2)
        x = x - 0.1 * (low + scale * (high - low))
    return x


print(sample(torch.randn(2, 8, device="cuda"), torch.zeros(2, 8, device="cuda")).std().item())
