# two names of one size
import torch

TRAIN_BATCH = 4
EVAL_BATCH = TRAIN_BATCH


@torch.compile(backend="eager")
def norm(x):
    return x / x.norm(dim=1, keepdim=True)


for _ in range(2):
    norm(torch.randn(TRAIN_BATCH, 8))
norm(torch.randn(EVAL_BATCH, 8))
