# duplicates are merged only if there are some
# thread: pyg-team/pytorch_geometric#10522: merge always, the result is the same where there are none
# help: always | drop | without; same | nothing
import torch


def coalesce(index, value):
    index, perm = torch.sort(index)
    value = value[perm]
    keep = torch.cat([torch.ones(1, dtype=torch.bool), index[1:] > index[:-1]])
    if keep.all():  #! break
        return index, value
    slot = keep.cumsum(0) - 1
    return index, torch.zeros_like(value).index_add_(0, slot, value)


fast = torch.compile(coalesce, backend="eager")
print(fast(torch.tensor([3, 1, 2, 1]), torch.arange(4.0)))
