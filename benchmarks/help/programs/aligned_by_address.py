# a tensor is copied where its address is not aligned
# thread: pytorch/pytorch#128071: the address is not known while tracing; align before the call or in the kernel's operator
# help: before | outside | custom_op | is_compiling | clone
import torch


def aligned(x):
    return x if x.data_ptr() % 16 == 0 else x.clone()  #! break


def normed(x, weight):
    x = aligned(x)
    return x / x.norm() * weight


fast = torch.compile(normed, backend="eager")
print(fast(torch.ones(4), torch.ones(4)))
