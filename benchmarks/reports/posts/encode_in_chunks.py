# embeddings of a corpus are made in chunks, the last is short
import torch
from torch import nn

encoder = torch.compile(nn.Linear(6, 3).eval(), backend="eager")


@torch.no_grad()
def encode(rows, chunk=4):
    out = []
    for start in range(0, len(rows), chunk):
        out.append(encoder(rows[start : start + chunk]))  #! recompile input
    return torch.cat(out)


encode(torch.randn(10, 6))
