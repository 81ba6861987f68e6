# statistics are read before; pair_of=open_file_fullgraph
import json
import os
import tempfile

import torch

path = os.path.join(tempfile.mkdtemp(), "stats.json")
with open(path, "w") as f:
    json.dump({"mean": 0.5}, f)
with open(path) as f:
    MEAN = json.load(f)["mean"]


@torch.compile(fullgraph=True, backend="eager")
def normalize(x):
    return x - MEAN


for _ in range(2):
    normalize(torch.randn(3))
