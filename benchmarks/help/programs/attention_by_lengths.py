# attention within each image of a packed batch
# thread: huggingface/transformers#45816: a block-diagonal mask of segments in place of lengths.tolist() and split
# help: mask | segment
import torch
from torch.nn import functional as F


def attend(q, k, v, cu_seqlens):
    lengths = cu_seqlens[1:] - cu_seqlens[:-1]
    pieces = [torch.split(t, lengths.tolist(), dim=1) for t in (q, k, v)]  #! break
    return torch.cat([F.scaled_dot_product_attention(a, b, c) for a, b, c in zip(*pieces)], dim=1)


torch.manual_seed(0)
x = torch.randn(2, 6, 4)
fast = torch.compile(attend, backend="eager")
print(fast(x, x, x, torch.tensor([0, 2, 6])).shape)
