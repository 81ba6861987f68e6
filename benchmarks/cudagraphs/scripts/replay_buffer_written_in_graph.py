import torch
from torch import nn
@torch.compile(mode="reduce-overhead")
def push(buffer, index, row):
    buffer[index] = row
    return buffer.mean()


buffer = torch.zeros(16, 64, device="cuda")
for i in range(6):
    print(push(buffer, torch.tensor([i], device="cuda"), torch.randn(1, 64, device="cuda")).item())
