# fullgraph, and statistics are read out of a file inside
import json
import os
import tempfile

import torch

path = os.path.join(tempfile.mkdtemp(), "stats.json")
with open(path, "w") as f:
    json.dump({"mean": 0.5}, f)


@torch.compile(fullgraph=True, backend="eager")
def normalize(x):
    with open(path) as f:  #! error
        stats = json.load(f)  #! error
    return x - stats["mean"]


normalize(torch.randn(3))
