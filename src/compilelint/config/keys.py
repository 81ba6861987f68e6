"""How the value of each key is read: checked, and turned into what `Options` holds.

The keys themselves stand in `compilelint.keys`; here is a reader for each kind of value that they may take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from compilelint.config.options import TargetTable, UsageError
from compilelint.config.positions import Path
from compilelint.config.rules import named
from compilelint.events import DynamoConfig
from compilelint.keys import DYNAMO_KEYS, KEYS, MOST_SECONDS, SEVERITIES, Key, key
from compilelint.model import Confidence, Rule, Severity
from compilelint.model.slotted import dataclass
from compilelint.project.globs import IgnoreList, NoGlobError
from compilelint.torchfacts import Capture

_ALIKE = 0.6


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands: `file` as it is shown, and the path of keys to it. `rules` are those that words may name.

    Without `lines` (a command line) the file alone is named. `ours` says that the user wrote it for this run; a file
    is a stranger's.
    """

    file: str
    path: Path
    lines: Mapping[Path, int]
    rules: Sequence[Rule]
    ours: bool = False

    def at(self, *more: str | int) -> Place:
        """A place below this one."""
        return Place(self.file, (*self.path, *more), self.lines, self.rules, self.ours)

    @property
    def line(self) -> int:
        """The line of the value, or of the nearest thing around it; 0 where there are none."""
        path = self.path
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 0)

    @property
    def shown(self) -> str:
        """`pyproject.toml:12`."""
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def name(self) -> str:
        """The key with those around it, as a reader of the file would call it."""
        parts = [part for part in self.path if isinstance(part, str)]
        return ".".join(parts[2:] if parts[:2] == ["tool", "compilelint"] else parts)

    def fault(self, what: str, hint: str) -> UsageError:
        """The error to raise about this place."""
        return UsageError(what, self.shown, hint)


Read = Callable[[Place, Any], Any]

# -------------------------------------------------------------------- readers


def _of_type(place: Place, value: Any, kind: type, called: str) -> Any:
    if type(value) is not kind:
        raise place.fault(f"{place.name or 'it'} is {_quoted(value)}", f"write {called}")
    return value


def _quoted(value: Any) -> str:
    """A value in an error message: short, and with its type where that is what is wrong."""
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "an array", dict: "a table"}
    kind = kinds.get(type(value), "a date or time")
    return kind if isinstance(value, (list, dict)) else f"{kind} ({value!r})"


def text(place: Place, value: Any) -> str:
    """A text that is not empty."""
    found: str = _of_type(place, value, str, f'a string: {place.name} = "..."')
    if not found.strip():
        raise place.fault(f"{place.name} is empty", "give it a value or remove the line")
    return found


def flag(place: Place, value: Any) -> bool:
    """true or false."""
    found: bool = _of_type(place, value, bool, f"{place.name} = true or {place.name} = false")
    return found


def texts(place: Place, value: Any) -> tuple[str, ...]:
    """An array of texts."""
    _of_type(place, value, list, f'an array of strings: {place.name} = ["..."]')
    return tuple(text(place.at(number), one) for number, one in enumerate(value))


def patterns(place: Place, value: Any) -> tuple[str, ...]:
    """An array of patterns as in .gitignore."""
    found = texts(place, value)
    for number, one in enumerate(found):
        pattern(place.at(number), one)
    try:
        IgnoreList(found)
    except NoGlobError as error:
        raise place.fault(f"{place.name} has {error}", "name folders instead of their files") from error
    return found


def pattern(place: Place, word: str) -> str:
    """One pattern as in .gitignore."""
    try:
        IgnoreList([word])
    except NoGlobError as error:
        raise place.fault(f"{word!r} is not a pattern: it has {error}", "write it as in .gitignore") from error
    return word


def rule_words(place: Place, value: Any) -> tuple[str, ...]:
    """An array of words that name rules."""
    _of_type(place, value, list, f'an array: {place.name} = ["CL101", "CL2", "host-read", "recompile"]')
    words: dict[str, None] = {}  # each is looked up among all rules, once
    for number, one in enumerate(value):
        if not isinstance(one, str) or one not in words:
            words[rule_word(place.at(number), text(place.at(number), one))] = None
    return tuple(words)


def rule_word(place: Place, word: str) -> str:
    """A code, family, name or effect."""
    named(place.rules, [word], place.shown)
    return word


def seconds(place: Place, value: Any) -> float:
    """A number of seconds; 0 for no limit and more than two minutes on the command line alone."""
    allowed = type(value) in (int, float) and (0 <= value < _A_DAY if place.ours else 0 < value <= MOST_SECONDS)
    if not allowed:
        in_file = f"write up to {MOST_SECONDS} seconds of CPU time: {place.name} = 20; --{place.name} takes any"
        hint = "write seconds of CPU time, 0 for no limit" if place.ours else in_file
        raise place.fault(f"{place.name} is {_quoted(value)}", hint)
    return float(value)


_A_DAY = 86_400
_LONGEST_WORD = 100  # that is compared with others: it takes as long as both are, multiplied


def one_of(*choices: str) -> Read:
    """One of a few words, in any case."""

    def read(place: Place, value: Any) -> str:
        word = text(place, value).lower()
        if word not in choices:
            raise place.fault(f"{place.name} cannot be {value!r}", _alike(value, choices))
        return word

    return read


def confidence(place: Place, value: Any) -> Confidence:
    """`certain`, `likely` or `possible`."""
    return Confidence[one_of(*key("min-confidence").choices)(place, value).upper()]


def severity(place: Place, value: Any) -> Severity:
    """`error`, `warning` or `note`."""
    return Severity[one_of(*SEVERITIES)(place, value).upper()]


def severities(place: Place, value: Any) -> tuple[tuple[str, Severity], ...]:
    """A table from rules to severities."""
    _of_type(place, value, dict, 'a table: [tool.compilelint.severity] with lines such as CL101 = "warning"')
    return tuple((rule_word(place.at(word), word), severity(place.at(word), one)) for word, one in value.items())


def compilers(place: Place, value: Any) -> tuple[tuple[str, str], ...]:
    """A table from dotted names of functions to how they compile what they are given."""
    _of_type(place, value, dict, 'a table: [tool.compilelint.compilers] with lines such as "mypkg.fast" = "wraps"')
    ways = one_of(*key("compilers").choices)
    return tuple((_dotted(place.at(name), name), ways(place.at(name), one)) for name, one in value.items())


def _dotted(place: Place, name: str) -> str:
    """The name of a function with that of its module."""
    parts = name.split(".")
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise place.fault(f"{name!r} does not name a module and a function", 'write its full name: "mypkg.speed.fast"')
    return name


def ignores(place: Place, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """A table from patterns of files to rules."""
    _of_type(place, value, dict, 'a table: per-file-ignores = { "tests/**" = ["CL201"] }')
    return tuple((pattern(place.at(one), one), rule_words(place.at(one), words)) for one, words in value.items())


def targets(place: Place, value: Any) -> tuple[TargetTable, ...]:
    """Tables for `compilelint verify`, which reads what is in them."""
    hint = "[[tool.compilelint.targets]], once for every model"
    _of_type(place, value, list, hint)
    depth = len(place.path) + 1
    lines: dict[Path, dict[Path, int]] = {}  # by table, once for all of them: there may be thousands
    for path, line in place.lines.items():
        lines.setdefault(path[:depth], {})[path[depth:]] = line
    found = []
    for number, one in enumerate(value):
        here = place.at(number)
        _of_type(here, one, dict, hint)
        found.append(TargetTable(one, place.file, lines.get(here.path, {})))
    return tuple(found)


def torch_version(place: Place, value: Any) -> str:
    """A version or a range; whether it exists is asked when facts are loaded."""
    if isinstance(value, float):
        raise place.fault(f"torch-version is a number ({value!r})", f'write a string: torch-version = "{value!r}"')
    return text(place, value)


def dynamo(place: Place, value: Any) -> DynamoConfig:
    """How a root is compiled unless its own `torch.compile(...)` says otherwise."""
    _of_type(place, value, dict, "a table: [tool.compilelint.dynamo] with lines such as fullgraph = true")
    flags = {
        name: read(_DYNAMO[known(place.at(name), name, _DYNAMO)], place.at(name), one) for name, one in value.items()
    }
    captures = frozenset(capture for name, capture in _CAPTURES.items() if flags.get(name))
    return DynamoConfig(
        flags.get("fullgraph", False), flags.get("export", False), captures, flags.get("dynamic"), flags.get("mode")
    )


_CAPTURES = {capture.value.replace("_", "-"): capture for capture in Capture}
_DYNAMO = {one.name: one for one in DYNAMO_KEYS}
BY_NAME = {one.name: one for one in KEYS}

_READERS: dict[str, Read] = {
    "text": text,
    "texts": texts,
    "flag": flag,
    "rules": rule_words,
    "severities": severities,
    "compilers": compilers,
    "ignores": ignores,
    "confidence": confidence,
    "severity": severity,
    "patterns": patterns,
    "dynamo": dynamo,
    "torch-version": torch_version,
    "seconds": seconds,
    "targets": targets,
}


def read(one: Key, place: Place, value: Any) -> Any:
    """What a value of a key means. Raises UsageError."""
    return (one_of(*one.choices) if one.kind == "choice" else _READERS[one.kind])(place, value)


def known(place: Place, name: str, names: Iterable[str]) -> str:
    """`name` if it is one of `names`. Raises UsageError with the nearest."""
    if name in names:
        return name
    raise place.fault(f"unknown key {place.name!r}", _alike(name, tuple(names)))


def _alike(word: str, choices: Sequence[str]) -> str:
    compared = word.lower().replace("_", "-") if len(word) <= _LONGEST_WORD else ""
    import difflib

    close = difflib.get_close_matches(compared, choices, n=1, cutoff=_ALIKE)
    return f"did you mean {close[0]}?" if close else "use one of: " + ", ".join(choices)
