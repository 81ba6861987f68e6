# an augmentation shuffles its transforms
# thread: pytorch/pytorch#145446: draw the order before the call, or torch.randperm
# help: outside | before | randperm
import random

import torch


def augment(x):
    ops = [torch.relu, torch.neg, torch.exp]
    random.shuffle(ops)  #! break
    for op in ops:
        x = op(x)
    return x


fast = torch.compile(augment, backend="eager")
print(fast(torch.zeros(2)).shape)
