# guidance doubles the batch, in the first half of the steps only
import torch
from torch import nn


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(4, 4, 3, padding=1)
        self.t = nn.Linear(1, 4)

    def forward(self, x, t):
        return self.a(x) + self.t(t[:, None])[:, :, None, None]


unet = UNet().eval()
unet = torch.compile(unet, backend="eager")
latents = torch.randn(3, 4, 8, 8)
timesteps = torch.linspace(1, 0, 6)
with torch.inference_mode():
    for i, t in enumerate(timesteps):
        do_cfg = i < len(timesteps) // 2
        inp = torch.cat([latents] * 2) if do_cfg else latents  #! recompile input
        noise = unet(inp, t.expand(inp.shape[0]))  #! recompile input
        if do_cfg:
            uncond, cond = noise.chunk(2)
            noise = uncond + 5.0 * (cond - uncond)
        latents = latents - 0.1 * noise
