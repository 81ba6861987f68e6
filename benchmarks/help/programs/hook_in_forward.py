# a gradient is watched by a hook in the forward
# thread: pytorch/pytorch#160757: register the hook before the call, on a parameter or the input
# help: outside | before
import torch

seen = []


def scaled(x):
    y = x * 2
    seen.append(y.register_hook(lambda grad: grad.clamp(-1, 1)))  #! break
    return y.sum()


fast = torch.compile(scaled, backend="eager")
x = torch.ones(2, requires_grad=True)
fast(x).backward()
print(x.grad)
