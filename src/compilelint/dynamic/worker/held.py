"""What a function holds on to, put back before each exercise, so that every one of them is a first call.

A target may be a function that a factory made: the object behind it counts its steps, keeps what it found, fills
lists. Objects stay the same objects and get the values that they had, so nothing is compiled again for it. Only what a
function closes over, is bound to or was given beforehand is put back, and of that the attributes, with the content of
tensors, lists, dicts and sets among them; models are left alone, as their users call them again and again.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from compilelint.dynamic.worker.snapshot import held_by

_FILLED = (list, dict, set, deque)
_MOST_OBJECTS = 50
_MOST_ROWS = 4


@dataclass(frozen=True)
class Variant:
    """What is held in another way (`prepare`), and what of it a call gives back as a number (`argument`), if any."""

    prepare: Callable[[], None] | None = None
    argument: Callable[[], torch.Tensor] | None = None


class Held:
    """The objects that a function holds, as they are when this is made.

    `variants` are other contents of them that an exercise may begin with, by what they are called: a row of numbers
    (the steps of a schedule) in which two are equal, or all are moved by one; and calls with the first and the last of
    such a row, as it is and moved, in the place of a single number.
    """

    def __init__(self, function: Any) -> None:
        objects: list[Any] = []
        if not isinstance(function, torch.nn.Module):
            for value in held_by(function):
                if not any(value is one for one in objects) and len(objects) < _MOST_OBJECTS:
                    objects.append(value)
        self._attributes = [(one, dict(vars(one))) for one in objects if hasattr(one, "__dict__")]
        inside = [value for _, found in self._attributes for value in found.values()]
        self._undo = [undo for one in (*objects, *inside) if (undo := _undoing(one)) is not None]
        self.variants: dict[str, Variant] = {}
        rows = [(name, one) for _, found in self._attributes for name, one in found.items() if is_row(one)]
        for name, row in sorted(rows, key=lambda one: one[1].numel())[:_MOST_ROWS]:  # long ones are tables
            moved = partial(row.add_, 1)
            for word, variant in (
                (f"the first two of `{name}` equal", Variant(partial(_repeat, row, 0))),
                (f"the last two of `{name}` equal", Variant(partial(_repeat, row, -2))),
                (f"the first of `{name}` given", Variant(None, partial(_at, row, 0))),
                (f"the last of `{name}` given", Variant(None, partial(_at, row, -1))),
                (f"the last of `{name}` given, one later", Variant(moved, partial(_at, row, -1))),
            ):
                self.variants.setdefault(word, variant)

    def put_back(self) -> None:
        """Give all of them the values that they had."""
        for one, found in self._attributes:
            now = vars(one)
            for name in [name for name in now if name not in found]:
                del now[name]
            for name, value in found.items():
                if now.get(name, self) is not value:
                    now[name] = value
        for undo in self._undo:
            undo()


def is_row(value: Any) -> bool:
    """Whether a value is a row of at least three numbers that can be written."""
    return (
        type(value) is torch.Tensor
        and value.layout is torch.strided
        and value.dim() == 1
        and value.numel() > 2
        and not value.requires_grad
        and not value.is_inference()
    )


def _repeat(row: torch.Tensor, place: int) -> None:
    row[place + 1] = row[place].clone()


def _at(row: torch.Tensor, place: int) -> torch.Tensor:
    return row[place].clone()


def _undoing(value: Any) -> Callable[[], None] | None:
    """What gives a tensor or a container the content that it has now; None for what has none."""
    if isinstance(value, torch.Tensor):
        return _undoing_tensor(value)
    if type(value) not in _FILLED:
        return None
    kept = value.copy()

    def undo() -> None:
        value.clear()
        (value.update if isinstance(value, (dict, set)) else value.extend)(kept)

    return undo


def _undoing_tensor(value: torch.Tensor) -> Callable[[], None] | None:
    if type(value) is not torch.Tensor or value.layout is not torch.strided or value.is_inference():
        return None
    version, kept = value._version, value.detach().clone()

    def undo() -> None:
        nonlocal version
        if value._version != version and value.shape == kept.shape:
            with torch.no_grad(), contextlib.suppress(RuntimeError):  # what shares memory with itself
                value.copy_(kept)
            version = value._version

    return undo
