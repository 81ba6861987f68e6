# the rate of a functional step falls by steps
import torch


@torch.compile(backend="eager")
def sgd(params, grads, lr):
    return [p - lr * g for p, g in zip(params, grads)]


w = [torch.randn(3, 3), torch.randn(3)]
lr = 0.1
for epoch in range(6):
    grads = [torch.randn_like(p) for p in w]
    w = sgd(w, grads, lr)  #! recompile input
    if epoch % 2 == 1:
        lr *= 0.5
