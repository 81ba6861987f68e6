"""Two runs of one source: what broke or recompiles since, what no longer does, what costs more.

Causes are matched by kind, file name from its end, and what they are about; a line may have moved between commits, so a
cause that is only on another line of the same function is the same one. A break is known by its id, which older torch
does not log for every one: by the id that the other run has for its words, then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compilelint.trace.cause import Cause, Kind
from compilelint.trace.checkout import Here
from compilelint.trace.entry import Change, Entry

_MORE = 3.0  # the same compilation takes twice as long on a busy machine
_LEAST_SECONDS = 1.0
_PARTS = 3


def changes(entries: Sequence[Entry], old: Sequence[Cause]) -> tuple[Change, ...]:
    """What changed from the causes of an old run to the entries of a new one; what is gone stands last."""
    ids = _ids_of_words((*old, *(entry.cause for entry in entries)))
    by_line = {_key(cause, True, ids): cause for cause in reversed(old)}
    by_function: dict[tuple[object, ...], list[Cause]] = {}
    for cause in old:
        by_function.setdefault(_key(cause, False, ids), []).append(cause)
    matched: set[int] = set()
    pairs: list[tuple[Entry, Cause | None]] = []
    for entry in entries:
        before = by_line.get(_key(entry.cause, True, ids))
        if before is not None and id(before) not in matched:
            matched.add(id(before))
            pairs.append((entry, before))
        else:
            pairs.append((entry, None))
    found = []
    for entry, before in pairs:
        if before is None:
            nearby = [one for one in by_function.get(_key(entry.cause, False, ids), ()) if id(one) not in matched]
            before = min(nearby, key=lambda one: abs(one.place.line - entry.cause.place.line), default=None)
            if before is not None:
                matched.add(id(before))
        if before is None:
            found.append(Change("new", entry))
        elif _differs(entry.cause, before):
            found.append(Change("more" if _is_more(entry.cause, before) else "less", entry, before))
    gone = [one for one in old if id(one) not in matched]
    return (*found, *(Change("gone", Entry(one, Here("", one.place.line, "elsewhere")), one) for one in gone))


def _ids_of_words(causes: Sequence[Cause]) -> dict[str, str]:
    """The ids of breaks by their words, where all that have both agree."""
    found: dict[str, str] = {}
    for one in causes:
        if one.break_id and found.setdefault(one.words, one.break_id) != one.break_id:
            found[one.words] = ""
    return {words: known for words, known in found.items() if known}


def _key(cause: Cause, by_line: bool, ids: Mapping[str, str]) -> tuple[object, ...]:
    kind, path, line, about = cause.key
    about = ids.get(cause.words, about) if cause.kind is Kind.BREAK and not cause.break_id else about
    end = tuple(path.replace("\\", "/").split("/")[-_PARTS:])
    return (kind, end, line, about) if by_line else (kind, end, cause.place.function, about)


def _is_more(new: Cause, old: Cause) -> bool:
    """Whether it costs more: by how often it happens, and by the time it takes where that is the same."""
    return new.count > old.count if new.count != old.count else new.seconds > old.seconds


def _differs(new: Cause, old: Cause) -> bool:
    if new.count != old.count:
        return True
    low, high = sorted((new.seconds, old.seconds))
    return high - low > _LEAST_SECONDS and high > _MORE * max(low, 1e-9)
