"""Two runs of one source: what broke or recompiles since, what no longer does, what costs more.

Causes are matched by kind, file name from its end, and what they are about; a line may have moved between commits, so a
cause that is only on another line of the same function is the same one.
"""

from __future__ import annotations

from collections.abc import Sequence

from compilelint.trace.cause import Cause
from compilelint.trace.checkout import Here
from compilelint.trace.entry import Change, Entry

_MORE = 1.5
_LEAST_SECONDS = 1.0
_PARTS = 3


def changes(entries: Sequence[Entry], old: Sequence[Cause]) -> tuple[Change, ...]:
    """What changed from the causes of an old run to the entries of a new one; what is gone stands last."""
    by_line = {_key(cause, True): cause for cause in reversed(old)}
    by_function: dict[tuple[object, ...], list[Cause]] = {}
    for cause in old:
        by_function.setdefault(_key(cause, False), []).append(cause)
    matched: set[int] = set()
    pairs: list[tuple[Entry, Cause | None]] = []
    for entry in entries:
        before = by_line.get(_key(entry.cause, True))
        if before is not None and id(before) not in matched:
            matched.add(id(before))
            pairs.append((entry, before))
        else:
            pairs.append((entry, None))
    found = []
    for entry, before in pairs:
        if before is None:
            nearby = [one for one in by_function.get(_key(entry.cause, False), ()) if id(one) not in matched]
            before = min(nearby, key=lambda one: abs(one.place.line - entry.cause.place.line), default=None)
            if before is not None:
                matched.add(id(before))
        if before is None:
            found.append(Change("new", entry))
        elif _differs(entry.cause, before):
            found.append(Change("more" if _weight(entry.cause) > _weight(before) else "less", entry, before))
    gone = [one for one in old if id(one) not in matched]
    return (*found, *(Change("gone", Entry(one, Here("", one.place.line, "elsewhere")), one) for one in gone))


def _key(cause: Cause, by_line: bool) -> tuple[object, ...]:
    kind, path, line, about = cause.key
    end = tuple(path.replace("\\", "/").split("/")[-_PARTS:])
    return (kind, end, line, about) if by_line else (kind, end, cause.place.function, about)


def _weight(cause: Cause) -> tuple[float, int]:
    return cause.seconds, cause.count


def _differs(new: Cause, old: Cause) -> bool:
    if new.count != old.count:
        return True
    low, high = sorted((new.seconds, old.seconds))
    return high - low > _LEAST_SECONDS and high > _MORE * max(low, 1e-9)
