from collections import deque

import torch
import torch.nn.functional as F
from torch import nn

backbone = nn.Sequential(nn.Conv2d(3, 16, 8, 8), nn.ReLU(), nn.Flatten(2)).cuda().eval()
extract = torch.compile(backbone, mode="reduce-overhead")
memory = deque(maxlen=3)
with torch.no_grad():
    for _ in range(7):
        current = extract(torch.randn(1, 3, 32, 32, device="cuda")).transpose(1, 2)
        if memory:
            bank = torch.cat(tuple(memory), 1)
            current_read = F.scaled_dot_product_attention(current, bank, bank)
            print(current_read.mean().item())
        memory.append(current)
