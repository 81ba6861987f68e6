"""Structured records (`TORCH_TRACE`): what each kind of record says, as events.

A record is JSON behind a head, and a payload of lines that begin with a tab. Which kinds are wanted is a table; all
others, by far the most bytes, are passed over unread. A field of the wrong type is a field that is not there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from compilelint.model import Step
from compilelint.model.patterns import late_pattern
from compilelint.trace.events import (
    MOST_STEPS,
    Began,
    CacheLookup,
    Compiled,
    Event,
    Id,
    Named,
    Recompile,
    Sized,
    Torch,
    cut,
)
from compilelint.trace.messages import break_of, failures_of

MOST_PAYLOAD = 256_000
"""Bytes of a payload that are kept; messages are far smaller."""
_MOST_STRINGS = 200_000
_MOST_PATH = 2_000
_MOST_DIMENSIONS = 12
_STACK_LINE = late_pattern(r"Line: (\d{1,9}), Name: (.*), Filename: (.+)$")


class Strings:
    """The texts that a process has given numbers: paths of frames."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], str] = {}
        self._last: dict[int, str] = {}

    def add(self, process: str, record: Any) -> None:
        """Remember what a record `["path", 3]` says."""
        if not isinstance(record, list) or len(record) != 2 or len(self._known) >= _MOST_STRINGS:
            return
        text, number = record
        if isinstance(text, str) and _is_int(number):
            self._known[process, number] = self._last[number] = cut(text, _MOST_PATH)

    def add_table(self, record: Any) -> None:
        """Remember a whole table, as tlparse writes it first."""
        for number, text in enumerate(record[:_MOST_STRINGS] if isinstance(record, list) else ()):
            self.add("", [text, number])

    def text(self, process: str, number: Any) -> str:
        """The text of a number; empty where it is not known. A process that was forked uses those of its parent."""
        if isinstance(number, str):
            return cut(number, _MOST_PATH)
        return self._known.get((process, number)) or self._last.get(number, "") if _is_int(number) else ""


class Record:
    """One record: its kind, its fields beside, who wrote it."""

    __slots__ = ("kind", "metadata", "payload", "process", "strings")

    def __init__(self, kind: str, metadata: dict[str, Any], process: str, strings: Strings) -> None:
        self.kind = kind
        self.metadata = metadata
        self.process = process
        self.strings = strings
        self.payload: Sequence[str] = ()

    @property
    def id(self) -> Id | None:
        """The compile that it is about."""
        frame, again = self.metadata.get("frame_id"), self.metadata.get("frame_compile_id")
        return Id(_int(frame), _int(again)) if _is_int(frame) and _is_int(again) else None

    @property
    def body(self) -> dict[str, Any]:
        """The fields of its kind."""
        found = self.metadata.get(self.kind)
        return found if isinstance(found, dict) else {}

    @property
    def name(self) -> str:
        """The name of an artifact."""
        found = self.body.get("name")
        return found if isinstance(found, str) else ""


def wants_payload(record: Record) -> bool:
    """Whether a record's payload is read."""
    return record.kind == "artifact" and record.name.startswith(_ARTIFACTS)


def events_of(record: Record) -> Iterator[Event]:
    """What a record says happened."""
    if record.kind == "artifact":
        for beginning, read in _OF_ARTIFACT.items():
            if record.name.startswith(beginning):
                yield from read(record)
                return
    elif record.kind in _OF_KIND:
        yield from _OF_KIND[record.kind](record)


# ----------------------------------------------------------------------- kinds


def _began(record: Record) -> Iterator[Event]:
    at, stack = record.id, _stack(record, record.body.get("stack"))
    if at is not None and stack:
        yield Began(at, stack)


def _stack(record: Record, frames: Any) -> tuple[Step, ...]:
    found = []
    for frame in frames[-MOST_STEPS:] if isinstance(frames, list) else ():
        if isinstance(frame, dict):
            path = record.strings.text(record.process, frame.get("filename"))
            if path:
                found.append(Step(path, _int(frame.get("line")), cut(_text(frame.get("name")), 200)))
    return tuple(found)


def _compiled(record: Record) -> Iterator[Event]:
    body = record.body
    backward = record.kind == "bwd_compilation_metrics" or body.get("is_forward") is False
    path = _text(body.get("co_filename"))
    frame = Step(cut(path, _MOST_PATH), _int(body.get("co_firstlineno")), cut(_text(body.get("co_name")), 200))
    fail_path = _text(body.get("fail_user_frame_filename"))
    fail_line = _int(body.get("fail_user_frame_lineno"))
    skip = body.get("has_guarded_code") is False
    seconds = _number(body.get("entire_frame_compile_time_s"))
    yield Compiled(
        record.id,
        frame,
        seconds or (_number(body.get("duration_us")) / 1e6 if backward else 0.0),
        _number(body.get("start_time")),
        _number(body.get("dynamo_time_before_restart_s"))
        or _number(body.get("dynamo_compile_time_before_restart_us")) / 1e6,
        _number(body.get("backend_compile_time_s")),
        _int(body.get("graph_op_count")),
        _int(body.get("guard_count")),
        not skip,
        cut(_text(body.get("fail_type")), 200),
        cut(_text(body.get("fail_reason"))),
        Step(cut(fail_path, _MOST_PATH), fail_line, "") if fail_path and fail_line else None,
        backward,
        cut(_text(body.get("cudagraph_skip_reason")), 400),
    )


def _break(record: Record) -> Iterator[Event]:
    found = break_of(record.payload, record.id)
    if found is not None:
        yield found


def _recompile(record: Record) -> Iterator[Event]:
    """A text, or JSON with a list of them."""
    text = "\n".join(record.payload).strip()
    texts: list[str] = []
    if text.startswith("["):
        decoded = decoded_json(text)
        texts = [one for one in decoded if isinstance(one, str)] if isinstance(decoded, list) else []
    elif text.startswith('"'):
        decoded = decoded_json(text)
        texts = [decoded] if isinstance(decoded, str) else []
    texts = texts or [text]
    failures = [failure for one in texts for failure in failures_of(one.splitlines()) or (cut(one.strip(), 1_000),)]
    yield Recompile(record.id, None, tuple(one for one in failures if one)[:64])


def _torch(record: Record) -> Iterator[Event]:
    found = decoded_json("\n".join(record.payload))
    version = found.get("pytorch_version") if isinstance(found, dict) else None
    if isinstance(version, str):
        yield Torch(cut(version, 60))


def _cache(record: Record) -> Iterator[Event]:
    cache, _, state = record.name.partition("_cache_")
    state = state.partition("_")[0]
    if state not in ("hit", "miss", "bypass", "guard"):
        return
    found = decoded_json("\n".join(record.payload))
    info = found if isinstance(found, dict) else {}
    why = _text(info.get("cache_bypass_reason")) or _text(info.get("cache_miss_reason"))
    guard = state == "guard"
    yield CacheLookup(
        record.id,
        cut(cache, 60),
        "miss" if guard else state,
        "a guard of the stored graph does not hold" if guard and not why else cut(why, 400),
        cut(_text(info.get("key")), 200),
        tuple(_parts(info.get("components"))),
    )


def _parts(components: Any) -> Iterator[tuple[str, str]]:
    """The hashes of what went into a key: `[hash] name: text`, a text an entry."""
    for one in components[:400] if isinstance(components, list) else ():
        if isinstance(one, str) and one.startswith("[") and "] " in one:
            value, _, rest = one[1:].partition("] ")
            yield cut(rest.partition(":")[0], 120), cut(value, 80)


def _sized(record: Record) -> Iterator[Event]:
    size = record.body.get("size")
    if isinstance(size, list) and len(size) <= _MOST_DIMENSIONS and all(map(_is_int, size)):
        yield Sized(record.id, _number_of(record), tuple(size))


def _named(record: Record) -> Iterator[Event]:
    source = _text(record.body.get("source"))
    if source:
        yield Named(record.id, _number_of(record), cut(source, 300))


def _number_of(record: Record) -> tuple[int, int]:
    return _int(record.body.get("describer_id")), _int(record.body.get("id"))


_OF_KIND: dict[str, Callable[[Record], Iterator[Event]]] = {
    "dynamo_start": _began,
    "compilation_metrics": _compiled,
    "bwd_compilation_metrics": _compiled,
    "describe_tensor": _sized,
    "describe_source": _named,
}
_OF_ARTIFACT: dict[str, Callable[[Record], Iterator[Event]]] = {
    "dynamo_graph_break_reason": _break,
    "recompile_reasons": _recompile,
    "torch_version": _torch,
    "fx_graph_cache_": _cache,
    "aotautograd_cache_": _cache,
}
_ARTIFACTS = tuple(_OF_ARTIFACT)
KINDS = frozenset({*_OF_KIND, "artifact", "str", "string_table"})
"""Kinds of records that are read."""

# ------------------------------------------------------------------- its JSON


def decoded_json(text: str) -> Any:
    """The value of a JSON text; None where it is none, whatever a stranger wrote there."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40


def _int(value: Any) -> int:
    return value if _is_int(value) else 0


def _number(value: Any) -> float:
    """A number of seconds, 0 for what is none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e17:
        return float(value)
    return 0.0


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
