# a colour conversion writes by a mask
# thread: pytorch/vision#8171: torch.where in place of the mask
# help: torch.where
import torch


def solarize(image, threshold):
    image = image.clone()
    picked = image >= threshold
    image[picked] = 1.0 - image[picked]  #! break
    return image


fast = torch.compile(solarize, backend="eager")
print(fast(torch.linspace(0, 1, 6), 0.5))
