# options from a dictionary are passed as keywords
import torch


@torch.compile(backend="eager")
def augment(x, flip=False, noise=0.0):
    if flip:
        x = x.flip(-1)
    if noise > 0:
        x = x + noise
    return x


x = torch.randn(4, 4)
for options in ({"flip": True}, {"noise": 0.1}, {}):
    augment(x, **options)  #! recompile input
