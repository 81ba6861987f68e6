"""What the names of the user's functions hold, line by line, in eager runs: for fixes that fit shapes to sizes.

Of each function the first calls that differ in what they are given are kept. A value is described, never held: a
tensor by its dtype, its sizes and whether it asks for a gradient, a whole number by itself, all else by its kind.
Does not belong here: what is made of it (`fixes.engine.observed`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from types import CodeType, FrameType
from typing import Any

import torch

_MOST_CALLS = 24
_MOST_ITEMS = 64

Value = list[Any]
"""A letter for the kind, and more of it where it counts."""


class Call:
    """One call of a function: `step` at each of its steps, `end` with what it returns."""

    def __init__(self, given: dict[str, Value]) -> None:
        self._last = dict(given)
        self._lines = {0}
        self.record: dict[str, Any] = {"lines": [[0, given]], "returned": None}

    def step(self, frame: FrameType) -> None:
        """Keep what changed since the last line, where the line is a new one."""
        line: int | None = frame.f_lineno
        if line is None or line in self._lines:  # instructions that the compiler of Python adds have no line
            return
        self._lines.add(line)
        new: dict[str, Value] = {}
        for name, held in frame.f_locals.items():
            value = value_of(held)
            if self._last.get(name) != value:
                new[name] = self._last[name] = value
        self.record["lines"].append([line, new])

    def end(self, result: Any) -> None:
        """Keep what is returned; None too where the call raises."""
        self.record["returned"] = value_of(result)


class ValuesSeen:
    """The calls of functions that were watched so far."""

    def __init__(self) -> None:
        self._calls: dict[CodeType, list[Call]] = {}
        self._given: dict[CodeType, set[str]] = {}

    def begun(self, frame: FrameType) -> Call | None:
        """What keeps a call that begins; None where enough is known, or one like it was seen."""
        code = frame.f_code
        calls = self._calls.setdefault(code, [])
        if len(calls) >= _MOST_CALLS:
            return None
        given = {name: value_of(one) for name, one in frame.f_locals.items()}
        key, known = json.dumps(given), self._given.setdefault(code, set())
        if key in known:
            return None
        known.add(key)
        calls.append(Call(given))
        return calls[-1]

    def seen(self, file_of: Callable[[CodeType], str]) -> dict[str, Any]:
        """By file a list of functions: their name, the line that they begin in, and their calls."""
        found: dict[str, Any] = {}
        for code, calls in self._calls.items():
            function = {"name": code.co_name, "line": code.co_firstlineno, "calls": [one.record for one in calls]}
            found.setdefault(file_of(code), []).append(function)
        return found


def value_of(one: Any, deep: bool = True) -> Value:
    """A value as it is kept: `["T", "torch.int64", [2, 3], false]`, `["I", 4]`, `["("`, of each item`]`."""
    if isinstance(one, torch.Tensor):
        plain = type(one) in (torch.Tensor, torch.nn.Parameter) and one.layout is torch.strided
        return ["T", str(one.dtype), list(one.shape), bool(one.requires_grad)] if plain else ["?"]
    if one is None or isinstance(one, bool):
        return ["N"] if one is None else ["B"]
    if isinstance(one, int):
        return ["I", one] if type(one) is int else ["?"]
    letter = {float: "F", str: "S", torch.device: "D", torch.dtype: "Y"}.get(type(one))
    if letter is not None:
        return [letter]
    if deep and type(one) in (tuple, list) and len(one) <= _MOST_ITEMS:
        return ["(", *(value_of(item, False) for item in one)]
    return ["?"]


def of_functions(seen: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    """What was seen of the functions of these names alone."""
    kept = {path: [one for one in functions if one["name"] in names] for path, functions in seen.items()}
    return {path: functions for path, functions in kept.items() if functions}
