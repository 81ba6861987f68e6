# the longest of a batch is read as a number in one whole graph
import torch


@torch.compile(backend="eager", fullgraph=True)
def trim(tokens, lengths):
    longest = lengths.max().item()  #! error
    if longest > 3:  #! error
        tokens = tokens[:, :-1]
    return tokens * 2


trim(torch.randint(0, 9, (2, 6)), torch.tensor([4, 6]))
