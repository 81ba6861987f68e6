# a hook on a gradient prints inside compiled code
import torch


@torch.compile(backend="aot_eager")
def block(x, w):
    h = x @ w
    h.register_hook(lambda g: g * 0.5)
    return h.relu().sum()


w = torch.randn(4, 4, requires_grad=True)
for _ in range(2):
    block(torch.randn(2, 4), w).backward()
