"""What a `DataLoader` and a dataset give: their first batches, as far as their shapes are known."""

from __future__ import annotations

from typing import Any

from compilelint.host import tensors
from compilelint.host.protocol import Machine
from compilelint.host.values import UNKNOWN, Lib, Tensor, Thing, Value

_BATCHES = 3


def batches(m: Machine, loader: Lib, limit: int) -> list[Value] | None:
    """The first batches of a loader; the smaller one at the end is another rule's (CL831)."""
    dataset = _given(loader, 0, "dataset")
    size = _given(loader, 1, "batch_size", 1)
    collate = loader.keywords.get("collate_fn")
    if "batch_sampler" in loader.keywords or not isinstance(size, int) or size < 1:
        return None
    count = length(m, dataset)
    if count is None:
        return None
    out: list[Value] = []
    for start in range(0, min(count - count % size if count >= size else count, size * min(limit, _BATCHES)), size):
        rows = [_item(m, dataset, i) for i in range(start, min(start + size, count))][:64]
        if collate is not None and m.calls:
            env, pos = m.calls[-1]
            out.append(m.call(env, collate, [rows], {}, pos))
        else:
            out.append(_stacked(rows, min(size, count)))
    return out


def _given(lib: Lib, at: int, name: str, default: Value = UNKNOWN) -> Value:
    return lib.args[at] if at < len(lib.args) else lib.keywords.get(name, default)


def length(m: Machine, dataset: Value) -> int | None:
    """How many items a dataset has; None where that is not known."""
    if isinstance(dataset, (list, tuple, range)):
        return len(dataset)
    if isinstance(dataset, Lib) and dataset.name == "torch.utils.data.TensorDataset" and dataset.args:
        first = dataset.args[0]
        size = first.shape[0] if isinstance(first, Tensor) and first.shape else None
        return size if isinstance(size, int) else None
    if isinstance(dataset, Thing) and dataset.cls.method("__len__") is not None and m.calls:
        env, pos = m.calls[-1]
        found = m.call_method(env, dataset, "__len__", [], {}, pos)
        return found if isinstance(found, int) and 0 <= found < 1 << 40 else None
    if isinstance(dataset, Tensor) and dataset.shape and isinstance(dataset.shape[0], int):
        return dataset.shape[0]
    return None


def elements(m: Machine, dataset: Thing, limit: int) -> list[Value] | None:
    """The first items of a dataset that is gone over by itself."""
    count = length(m, dataset)
    if count is None or dataset.cls.method("__getitem__") is None:
        return None
    return [_item(m, dataset, i) for i in range(min(count, limit, 8))]


def _item(m: Machine, dataset: Value, i: int) -> Value:
    if isinstance(dataset, (list, tuple)):
        return dataset[i]
    if isinstance(dataset, range):
        return dataset[i]
    if isinstance(dataset, Lib):
        return tuple([_row(one) for one in dataset.args])
    if isinstance(dataset, Tensor):
        return _row(dataset)
    if isinstance(dataset, Thing) and m.calls:
        env, pos = m.calls[-1]
        return m.call_method(env, dataset, "__getitem__", [i], {}, pos)
    return UNKNOWN


def _row(value: Value) -> Value:
    return value.but(shape=value.shape[1:]) if isinstance(value, Tensor) and value.shape else UNKNOWN


def _stacked(rows: list[Value], count: int) -> Value:
    """What `default_collate` makes of the items of a batch."""
    first = rows[0] if rows else UNKNOWN
    if isinstance(first, Tensor):
        alike = all(isinstance(t, Tensor) and t.shape == first.shape for t in rows)
        return first.but(shape=(count, *first.shape) if alike and first.shape is not None else None)
    if isinstance(first, (tuple, list)):
        columns: list[Any] = [
            [row[i] for row in rows if isinstance(row, (tuple, list)) and i < len(row)] for i in range(len(first))
        ]
        return [_stacked(column, count) for column in columns]
    if isinstance(first, dict):
        return {
            key: _stacked([row[key] for row in rows if isinstance(row, dict) and key in row], count) for key in first
        }
    if isinstance(first, bool):
        return Tensor((count,), "bool")
    if isinstance(first, (int, float)):
        return Tensor((count,), "int64" if isinstance(first, int) else "float64")
    return UNKNOWN if not isinstance(first, str) else list(rows)


def unknown_batch() -> Tensor:
    """A batch of which nothing is known."""
    return tensors.unknown(False)
