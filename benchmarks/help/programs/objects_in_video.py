# the number of objects of a clip is a list of ints
# thread: pytorch/pytorch#123894: pad the objects to a fixed number and mask, or mark the size dynamic
# help: pad | dynamic | mark_dynamic
import torch


@torch.compile(backend="eager")
def mask_loss(logits, num_objects):
    total = logits.new_zeros(())
    for i, count in enumerate(num_objects):
        total = total + logits[i, :count].mean()
    return total


for counts in ([1, 2], [3, 1], [2, 4]):
    print(mask_loss(torch.ones(2, 5, 3), counts))  #! recompile input
