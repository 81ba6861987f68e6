"""Data-dependent shapes, a global, a list that grows, and a dict key."""
import torch

SCALE = 1.0
seen = []


@torch.compile(backend="aot_eager")
def select(x, mask, table):
    rows = x[mask]
    if rows.shape[0] > 2:
        rows = rows[:2]
    for key in table:
        rows = rows + table[key]
    return rows * SCALE


for n in range(4):
    SCALE = 1.0 + n
    table = {f"k{i}": float(i) for i in range(n)}
    select(torch.randn(5, 3), torch.tensor([True, True, True, False, n % 2 == 0]), table)
