# resolutions vary and dynamic=False compiles each
# thread: kijai/ComfyUI-KJNodes#454: leave dynamic at its default
# help: dynamic=None | dynamic=True | default | dynamic=False
import torch
from torch import nn

unet = torch.compile(nn.Conv2d(3, 3, 3, padding=1), backend="eager", dynamic=False)
with torch.no_grad():
    for size in (16, 24, 32, 40):
        print(unet(torch.ones(1, 3, size, size)).shape)  #! recompile input
