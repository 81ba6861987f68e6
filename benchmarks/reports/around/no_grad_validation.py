# validation runs without gradients
import torch


@torch.compile(backend="eager")
def energy(x, w):
    return (x @ w).square().mean()


w = torch.randn(4, 4, requires_grad=True)
for epoch in range(2):
    energy(torch.randn(2, 4), w).backward()  #! recompile state
    with torch.no_grad():
        val = energy(torch.randn(2, 4), w)  #! recompile state
