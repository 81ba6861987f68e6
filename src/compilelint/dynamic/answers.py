"""What a process that runs a stranger's code says to ours, read without trust: framed, bounded and checked.

The code that it runs has the same pipe open. So a line counts only if it begins with a secret of that process, is no
longer than `MOST_BYTES`, and has the fields of its event. Whatever else stands in the pipe is passed over; a line with
the secret that is not what it should be becomes a `defect`, which is what then happened to one target.

Imports nothing beside the protocol, the data model and the standard library, since both ends use it.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from compilelint.dynamic.protocol import encode
from compilelint.model import Fate

MOST_BYTES = 64_000_000
"""Of one line: more than any report of one target was seen to take, by two orders."""

SECRET_LENGTH = 32
_CHUNK = 1 << 16
_FATES = frozenset(one.value for one in Fate)

# The fields of each message of a worker, with their types.
_FIELDS: Mapping[str, Mapping[str, type]] = {
    "ready": {"torch": str, "path": str, "pid": int},
    "no-torch": {"text": str, "hint": str},
    "defect": {"text": str},
    "start": {"number": int},
    "phase": {"number": int, "phase": str},
    "done": {"number": int, "observed": dict},
    "died": {"number": int, "fate": str, "detail": str, "lives": bool},
}


def new_secret() -> str:
    """What only a worker's own messages begin with."""
    return secrets.token_hex(SECRET_LENGTH // 2)


def read_secret(descriptor: int) -> str:
    """The secret, which is the first that a worker is sent."""
    data = b""
    while len(data) < SECRET_LENGTH and (more := os.read(descriptor, SECRET_LENGTH - len(data))):
        data += more
    return data.decode("ascii", "replace")


def framed(message: Mapping[str, Any], secret: str) -> bytes:
    """A message as a line of its own, also behind something else that ended without one."""
    return f"\n{secret} {encode(message)}".encode("utf-8", "backslashreplace")


def answers(read: Callable[[int], bytes], secret: str) -> Iterator[dict[str, Any]]:
    """The messages of a worker with this secret, to the end of its pipe."""
    head = f"{secret} ".encode()
    for line in _lines(read):
        if not line.startswith(head):
            continue
        yield _message(line[len(head) :]) if len(line) <= MOST_BYTES else _defect("is too large")


def checked(text: bytes) -> Any:
    """JSON of someone else; None where it is none, or cannot be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError, MemoryError):
        return None


def _message(text: bytes) -> dict[str, Any]:
    found = checked(text)
    if not isinstance(found, dict) or not isinstance(found.get("event"), str):
        return _defect("is not a message")
    fields = _FIELDS.get(found["event"])
    if fields is None or not all(type(found.get(name)) is kind for name, kind in fields.items()):
        return _defect("is not a message that a worker sends")
    fate = found["observed"].get("fate") if found["event"] == "done" else found.get("fate", Fate.RAN.value)
    return found if isinstance(fate, str) and fate in _FATES else _defect("names no way to end")


def _defect(what: str) -> dict[str, Any]:
    return {"event": "defect", "text": f"what the worker answered {what}"}


def _lines(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """The lines of a pipe that are not empty, each cut behind `MOST_BYTES`; what lies between is not kept."""
    kept = bytearray()
    while data := read(_CHUNK):
        first, *others = data.split(b"\n")
        for following in (None, *others):
            if following is not None:
                if kept:
                    yield bytes(kept)
                kept.clear()
            kept += (first if following is None else following)[: MOST_BYTES + 1 - len(kept)]
    if kept:
        yield bytes(kept)
