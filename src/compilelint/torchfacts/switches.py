"""What settings of Dynamo change: the breaks that are gone with them, by version, as tried on each: `switches.json`.

A version that was not tried goes by the nearest one that was. Loads no torch and runs nothing. Does not belong here:
where a setting holds (`session/pipeline/switched.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from compilelint.model.slotted import dataclass
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.store import DATA, key_of, read
from compilelint.torchfacts.vocabulary import Capture

_LOGGER = "logging.Logger."
_ALIASES = {"ignore_logger_methods": "ignore_logging_functions"}
FUNCTION_SETTINGS = frozenset({"reorderable_logging_functions", "ignore_logging_functions", *_ALIASES})
"""Settings that hold functions: each breaks no graph any more."""
NAMES = (
    "allow_rnn",
    "enable_trace_load_build_class",
    "graph_break_on_nn_param_ctor",
    "trace_autograd_ops",
    *sorted(FUNCTION_SETTINGS),
)
"""The settings, but for those that `Capture` lists."""
_CAPTURES = tuple(one.value for one in Capture)


@dataclass(frozen=True, slots=True)
class Switch:
    """A setting that a program gives another value than torch's own: what breaks no graph under it.

    `ids` are breaks by their ids, `functions` calls by their canonical names.
    """

    name: str
    ids: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()


def switch(name: str, value: object, functions: Iterable[str], versions: Iterable[str]) -> Switch | None:
    """What a setting changes that is set to a constant, or given functions; None where it changes nothing known."""
    name = _ALIASES.get(name, name)
    rows = [row for row in (_row(name, version) for version in versions) if row is not None]
    ids = {one for row in rows if "value" in row and row["value"] is value for one in row["ids"]}
    named = {one for one in functions if any(_covers(row.get("functions", ()), one) for row in rows)}
    return Switch(name, frozenset(ids), frozenset(named)) if ids or named else None


def cures(gb_id: str, version: str) -> tuple[tuple[str, bool], ...]:
    """The settings under which this break was seen to be gone in a version, each with the value that it is given."""
    rows = ((name, _row(name, version)) for name in (*_CAPTURES, *NAMES))
    return tuple((name, row["value"]) for name, row in rows if row is not None and gb_id in row.get("ids", ()))


def takes(name: str, function: str, version: str) -> bool:
    """Whether a setting that holds functions was seen to keep calls of this one from breaking, in a version."""
    row = _row(name, version)
    return row is not None and _covers(row.get("functions", ()), function)


def _covers(tried: Iterable[str], function: str) -> bool:
    """Whether what was tried of a setting shows that it takes this function: loggers' methods are another kind."""
    return ("log.info" if function.startswith(_LOGGER) else "print") in tried


def _row(name: str, version: str) -> Mapping[str, Any] | None:
    table = switches()
    if not table:
        return None
    wanted = key_of(version)
    nearest = min(table, key=lambda one: (key_of(one) > wanted, abs(_minor(one) - _minor(version))))
    return table[nearest].get(name)


def _minor(version: str) -> int:
    major, minor, *_ = (*key_of(version), 0, 0)
    return 1000 * major + minor


@functools.cache
def switches(data: Path = DATA) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """By version and setting what was tried; raises FactsError where the file is damaged."""
    content: Any = read("switches.json", data)
    try:
        return {version: dict(rows.items()) for version, rows in content["versions"].items()}
    except (AttributeError, KeyError, TypeError) as error:
        raise FactsError(
            f"switches.json is damaged: {error!r}", str(data / "switches.json"), "reinstall compilelint"
        ) from error
