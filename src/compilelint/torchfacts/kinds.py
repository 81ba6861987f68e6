"""What Dynamo does with each kind of object, from `data/kinds-<version>.json`: measured, one small program a cell.

A kind is a class by its canonical name (`array.array`), a built-in type by its bare one (`list`), with `[tensor]` where
it holds tensors. An operation is a builtin (`len`), an operator (`==`), a place in the source (`[int]=`, `for`,
`return`), or a member (`.append`). Objects made in the compiled code (`inside`) and those handed in differ.

The newest file is whole; an older one holds the kinds that differ from the version that its `base` names.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from compilelint.model.slotted import dataclass
from compilelint.torchfacts import store
from compilelint.torchfacts.errors import FactsError

INSIDE: Final = "inside"
OUTSIDE: Final = "outside"
ACROSS: Final = "across"
MAKE: Final = "make"
TRACED: Final = "ok"
FAILS: Final = "fails"
SKIPS: Final = "skip:"
FULL: Final = "full:"
"""Outcomes: traced, compilation fails, or the id of a break, which may cost the whole frame (`skip:`) or come under
`fullgraph=True` alone (`full:`)."""

NOT_EAGER: Final = "-"
"""While measuring: the operation raises without compilation, and is left out."""

LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
NOT_MEASURED: Final = NOT_EAGER
_PREFIX: Final = "kinds-"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of object: the outcome of each operation, for objects made inside and for those from outside."""

    inside: Mapping[str, str]
    outside: Mapping[str, str]

    @property
    def operations(self) -> tuple[str, ...]:
        """What was measured, members last."""
        return tuple(dict.fromkeys((*self.outside, *self.inside)))


class Kinds:
    """The kinds of one measured version."""

    __slots__ = ("_kinds", "_operations", "_raw", "version")

    def __init__(self, version: str, operations: str, raw: Mapping[str, Mapping[str, str]]) -> None:
        self.version = version
        self._operations = operations.split()
        self._raw = raw
        self._kinds: dict[str, Kind] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._raw

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __getitem__(self, name: str) -> Kind:
        """The kind of that name; raises KeyError where it was not measured."""
        kind = self._kinds.get(name)
        if kind is None:
            kind = self._kinds[name] = self._unpacked(self._raw[name])
        return kind

    def outcome(self, name: str, operation: str, *, inside: bool) -> str | None:
        """What becomes of an operation on a kind; None where it was not measured."""
        if name not in self._raw:
            return None
        kind = self[name]
        return (kind.inside if inside else kind.outside).get(operation)

    def _unpacked(self, raw: Mapping[str, str]) -> Kind:
        words = raw["words"].split()
        names = [*self._operations, *(f".{name}" for name in raw.get("members", "").split())]

        def row(letters: str) -> dict[str, str]:
            pairs = zip(names, letters, strict=False)
            return {name: words[LETTERS.index(letter)] for name, letter in pairs if letter != NOT_MEASURED}

        return Kind(row(raw.get(INSIDE, "")), row(raw.get(OUTSIDE, "")))


def packed(measured: Mapping[str, Mapping[str, str]], operations: list[str]) -> dict[str, str]:
    """How the data file spells the outcomes of one kind, from its `inside` and `outside`."""
    names = dict.fromkeys(name for row in measured.values() for name in row)
    members = [name for name in names if name.startswith(".")]
    counts: dict[str, int] = {}
    for row in measured.values():
        for outcome in row.values():
            counts[outcome] = counts.get(outcome, 0) + 1
    words = sorted(counts, key=lambda word: (-counts[word], word))
    letters = dict(zip(words, LETTERS, strict=False))
    found = {"words": " ".join(words)}
    if members:
        found["members"] = " ".join(name[1:] for name in members)
    for part in (INSIDE, OUTSIDE):
        row = measured.get(part, {})
        cells = [letters[row[name]] if name in row else NOT_MEASURED for name in (*operations, *members)]
        found[part] = "".join(cells).rstrip(NOT_MEASURED)
    return found


def shipped_versions(data: Path = store.DATA) -> tuple[str, ...]:
    """The versions whose kinds were measured, oldest first."""
    found = [path.stem.removeprefix(_PREFIX) for path in data.glob(f"{_PREFIX}*.json")]
    return tuple(sorted(found, key=store.key_of))


def file_of(version: str) -> str:
    """The name of a version's file."""
    return f"{_PREFIX}{version}.json"


def kinds_of(version: str, data: Path = store.DATA) -> Kinds:
    """The kinds of the version, or of the nearest older one that was measured, else of the oldest.

    Raises FactsError where a file is missing or damaged.
    """
    shipped = shipped_versions(data)
    if not shipped:
        raise FactsError("no measured kinds found", str(data), "reinstall compilelint")
    wanted = store.key_of(version)
    below = [one for one in shipped if store.key_of(one)[: len(wanted)] <= wanted]
    return _read(below[-1] if below else shipped[0], data)


@functools.lru_cache(maxsize=4)
def newest_kinds(data: Path = store.DATA) -> Kinds:
    """The kinds of the newest version that was measured: which classes are known at all."""
    return kinds_of(shipped_versions(data)[-1], data)


def read_kinds(version: str, data: Path = store.DATA) -> Kinds:
    """The kinds of a version that was measured, as the files hold them now; raises FactsError as `kinds_of`."""
    return Kinds(version, *_raw_of(version, data))


_read = functools.lru_cache(maxsize=4)(read_kinds)


def _raw_of(version: str, data: Path) -> tuple[str, dict[str, Any]]:
    content = store.read(file_of(version), data)
    try:
        base = content.get("base")
        if base is None:
            return str(content["operations"]), dict(content["kinds"])
        if store.key_of(base) <= store.key_of(version):
            raise ValueError(f"its base {base} is not newer")
        operations, raw = _raw_of(base, data)
        kept = {name: row for name, row in raw.items() if name not in content["gone"].split()}
        return operations, {**kept, **content["kinds"]}
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        name = file_of(version)
        raise FactsError(f"{name} is damaged: {error!r}", str(data / name), "reinstall compilelint") from error
