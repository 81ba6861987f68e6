# the rows of a table are taken where numpy finds one match
# thread: pytorch/pytorch#119186: the test breaks inside of the loop and all runs as plain Python
# help: where | outside | mask | any
import numpy as np
import torch


def matches(rows, wanted):
    out = np.zeros(len(rows))
    for i, row in enumerate(rows):
        hit = row == wanted
        if np.count_nonzero(hit) == 1:  #! break
            out[i] = 1.0
    return out


fast = torch.compile(matches, backend="eager")
print(fast(np.arange(12).reshape(4, 3), np.array([3, 9, 11])))
