# the lambda is compiled once; pair_of=lambda_each_step
import torch

x = torch.randn(4)
total = 0.0
fn = torch.compile(lambda v: v.sin() * 2, backend="eager")
for step in range(4):
    total += fn(x).sum().item()
