# a global counter decides when to regularize
import torch

step = 0
weight = torch.randn(4, 4, requires_grad=True)


@torch.compile(backend="eager")
def loss_fn(x):
    loss = (x @ weight).square().mean()
    if step % 4 == 0:  #! recompile state
        loss = loss + weight.abs().sum()
    return loss


for _ in range(5):
    loss_fn(torch.randn(2, 4)).backward()  #! recompile state
    step += 1  #! recompile state
