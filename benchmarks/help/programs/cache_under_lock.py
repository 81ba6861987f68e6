# a cache of rotary tables is guarded by a lock
# thread: vllm-project/vllm: take the lock around the call, or build the table in __init__
# help: around | __init__ | outside
import threading

import torch

lock = threading.Lock()
tables = {}


def table(n):
    with lock:  #! break
        if n not in tables:
            tables[n] = torch.arange(n).float()
        return tables[n]


def rotate(x):
    return x * table(x.shape[-1])


fast = torch.compile(rotate, backend="eager")
print(fast(torch.ones(3)))
