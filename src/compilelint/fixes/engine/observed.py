"""What the names of functions held in eager runs of the original, for rewrites that take kinds and shapes from runs.

Only where a proof has run the program (`session.fixing.prove`) is there any of it; what a run did not show is unknown.
Statements are found again by their text, so that lines may have moved since. Does not belong here: what is recorded
(`dynamic.worker.values_seen`).
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from compilelint.model.slotted import dataclass

_Node = TypeVar("_Node", bound=ast.AST)
_KINDS = {"T": "tensor", "I": "int", "B": "bool", "F": "float", "N": "none", "S": "str", "D": "device", "Y": "dtype"}


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a name held: of a tensor dtype, sizes and whether it asks for a gradient; of a number itself."""

    kind: str
    dtype: str = ""
    sizes: tuple[int, ...] = ()
    gradient: bool = False
    number: int = 0
    items: tuple[Value, ...] = ()


Names = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Passage:
    """One way of a call through some statements: what names held before and behind them, and what was returned.

    `after` is None where the statements end the call.
    """

    before: Names
    after: Names | None
    returned: Value


@dataclass(frozen=True, slots=True)
class _Function:
    name: str
    line: int
    calls: tuple[tuple[tuple[tuple[int, Mapping[str, Value]], ...], Value], ...]


class Observed:
    """What was recorded, by file; `texts` are the files as they were when they ran, `broken` is what broke."""

    def __init__(
        self, recorded: Iterable[Mapping[str, Any]], texts: Mapping[str, str], broken: Iterable[str] = ()
    ) -> None:
        self.broken = frozenset(" ".join(one.split()) for one in broken)
        self._files: dict[str, list[_Function]] = {}
        self._trees: dict[str, ast.Module] = {}
        self._texts = {os.path.abspath(path): text for path, text in texts.items()}
        for found in recorded:
            for path, functions in found.items():
                self._files.setdefault(os.path.abspath(path), []).extend(map(_function, functions))

    def passages(
        self, path: str, function: ast.FunctionDef | ast.AsyncFunctionDef, region: Sequence[ast.stmt]
    ) -> list[Passage]:
        """Each recorded way through statements that stand side by side in a function of the file, as it is now."""
        place = os.path.abspath(path)
        if place not in self._files or place not in self._texts:
            return []
        if place not in self._trees:
            self._trees[place] = ast.parse(self._texts[place])
        old = _only(
            one
            for one in ast.walk(self._trees[place])
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))
            and one.name == function.name
            and ast.dump(one.args) == ast.dump(function.args)
            and _within(region[0], one) is not None
        )
        first, last = (None, None) if old is None else (_within(region[0], old), _within(region[-1], old))
        if old is None or first is None or last is None or last.end_lineno is None:
            return []
        begins = {old.lineno, *(one.lineno for one in old.decorator_list)}
        functions = (one for one in self._files[place] if one.name == old.name and one.line in begins)
        every = (_passage(call, first.lineno, last.end_lineno) for one in functions for call in one.calls)
        return [one for one in every if one is not None]


def _within(statement: ast.stmt, function: ast.AST) -> ast.stmt | None:
    """The one statement of a function with the text of another."""
    wanted = ast.dump(statement)
    return _only(one for one in ast.walk(function) if isinstance(one, type(statement)) and ast.dump(one) == wanted)


def _only(found: Iterator[_Node]) -> _Node | None:
    first, second = next(found, None), next(found, None)
    return first if second is None else None


def _passage(call: tuple[Any, Value], start: int, end: int) -> Passage | None:
    """How a call went through the lines from `start` to `end`; None where it did not come to them."""
    held: dict[str, Value] = {}
    before: Names | None = None
    for line, names in call[0]:
        held = {**held, **names}
        if start <= line <= end:
            before = dict(held) if before is None else before
        elif before is not None:
            return Passage(before, dict(held), call[1])
    return None if before is None else Passage(before, None, call[1])


def _function(found: Mapping[str, Any]) -> _Function:
    calls = tuple(
        (
            tuple((line, {name: _value(one) for name, one in names.items()}) for line, names in call["lines"]),
            _value(call["returned"] or ["N"]),
        )
        for call in found["calls"]
    )
    return _Function(found["name"], found["line"], calls)


def _value(found: Sequence[Any]) -> Value:
    letter, *rest = found
    if letter == "T":
        return Value("tensor", rest[0], tuple(rest[1]), rest[2])
    if letter == "I":
        return Value("int", number=rest[0])
    if letter == "(":
        return Value("items", items=tuple(map(_value, rest)))
    return Value(_KINDS.get(letter, "other"))
