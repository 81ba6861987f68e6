# the chosen elements are scaled in place
# thread: pytorch/pytorch#106580: t = torch.where(a, t * 0.2, t)
# help: where | masked
import torch


def damp(t, chosen):
    t[chosen] *= 0.2  #! break
    return t


fast = torch.compile(damp, backend="eager")
print(fast(torch.arange(6.0), torch.tensor([True, False, True, False, False, True])))
