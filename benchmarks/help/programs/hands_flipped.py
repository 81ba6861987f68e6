# the images of right hands are flipped
# thread: pytorch/pytorch#91990: flip all and choose by torch.where
# help: where | flip all | all rows
import torch


def align(images, handedness):
    right = handedness == 1
    images[right] = images[right].flip(-1)  #! break
    return images * 0.5


fast = torch.compile(align, backend="eager")
print(fast(torch.arange(12.0).reshape(3, 4), torch.tensor([1, 0, 1])))
