# the longest of a batch is read before the compiled call; pair_of=padded_to_item
import torch


@torch.compile(backend="eager", fullgraph=True)
def double(tokens):
    return tokens * 2


def trim(tokens, lengths):
    longest = lengths.max().item()
    if longest > 3:
        tokens = tokens[:, :5]
    return double(tokens)


for _ in range(3):
    trim(torch.randint(0, 9, (2, 6)), torch.tensor([4, 6]))
