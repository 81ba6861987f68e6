# fullgraph, and packed sequences are split by a tensor of lengths, which is captured
import torch


@torch.compile(fullgraph=True, backend="eager")
def means(packed, lengths):
    parts = packed.split(lengths.tolist())
    return torch.stack([part.mean(0) for part in parts])


means(torch.randn(10, 4), torch.tensor([3, 5, 2]))
