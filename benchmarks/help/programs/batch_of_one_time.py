# a model is warmed up with one time and runs with two
# thread: xdit-project/xDiT#781: mark the batch of the time as unbacked (or dynamic) before the call
# help: mark_unbacked | mark_dynamic | dynamic=True | pad
import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, time):
        return self.linear(x) * time.cos().mean()


torch.manual_seed(0)
denoise = torch.compile(Denoiser(), backend="eager")
with torch.no_grad():
    for size in (1, 2, 1, 3):
        print(denoise(torch.ones(2, 4), torch.ones(size)).shape)  #! recompile input
