# the short rest goes to the plain encoder; pair_of=encode_in_chunks
import torch
from torch import nn

plain = nn.Linear(6, 3).eval()
encoder = torch.compile(plain, backend="eager")


@torch.no_grad()
def encode(rows, chunk=4):
    out = []
    for start in range(0, len(rows), chunk):
        part = rows[start : start + chunk]
        out.append(encoder(part) if len(part) == chunk else plain(part))
    return torch.cat(out)


encode(torch.randn(10, 6))
