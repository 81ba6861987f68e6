# a new lambda is compiled in every step
import torch

x = torch.randn(4)
total = 0.0
for step in range(4):
    fn = torch.compile(lambda v: v.sin() * 2, backend="eager")  #! slow
    total += fn(x).sum().item()
