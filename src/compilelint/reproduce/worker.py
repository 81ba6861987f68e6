"""Runs scripts under TorchDynamo, a copy of this process each, and says what torch logged: the trials of `reproduce`.

Speaks JSON lines on standard input and output: `{"text": ..., "seconds": ...}` and back `{"ended": ..., "error": ...,
"line": ..., "events": [...]}`. torch is imported once; what a script does to its process ends with the copy.
"""

from __future__ import annotations

import contextlib
import json
import linecache
import logging
import os
import resource
import signal
import sys
import tempfile
import traceback
from typing import Any

import torch
import torch._dynamo

from compilelint.dynamic.answers import checked
from compilelint.dynamic.worker import limits
from compilelint.dynamic.worker.channel import die_with_parent
from compilelint.trace.events import Break, Compiled, Recompile
from compilelint.trace.gather import users_place
from compilelint.trace.guards import failure_of
from compilelint.trace.structured import KINDS, Record, Strings, events_of, wants_payload

_MOST_EVENTS = 400
_MEMORY = 12 << 30
_MOST_ANSWER = 16_000_000


class _Listener(logging.Handler):
    """Takes the structured records, and keeps breaks, recompiles and failed compiles as plain data."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.found: list[dict[str, Any]] = []
        self._strings = Strings()

    def emit(self, record: logging.LogRecord) -> None:
        given = getattr(record, "metadata", None)
        metadata: dict[str, Any] = given if isinstance(given, dict) else {}
        kind = next(iter(metadata), "")
        if kind not in KINDS or kind == "str" or len(self.found) >= _MOST_EVENTS:
            return
        one = Record(kind, metadata, "", self._strings)
        if wants_payload(one):
            payload = getattr(record, "payload", None)
            one.payload = (payload if isinstance(payload, str) else json.dumps(payload, default=str)).splitlines()
        for event in events_of(one):
            reported = _reported(event)
            if reported is not None:
                self.found.append(reported)


def _reported(event: object) -> dict[str, Any] | None:
    if isinstance(event, Break):
        place = users_place(event.stack)
        line = place.line if place is not None else 0
        return {"kind": "break", "id": event.break_id, "words": event.words, "line": line, "skips": event.skips_frame}
    if isinstance(event, Recompile):
        failure = failure_of(event.failures[0]) if event.failures else None
        source = failure.source if failure is not None else ""
        return {"kind": "recompile", "id": failure.kind if failure is not None else "", "words": source, "line": 0}
    if isinstance(event, Compiled) and event.fail:
        first = event.why.strip().partition("\n")[0]
        return {"kind": "error", "id": event.fail, "words": first, "line": event.frame.line}
    return None


def main() -> None:
    """Answer one script after the other until the input ends."""
    die_with_parent()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    torch.set_num_threads(1)
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))  # its imports are done once for all copies
    torch._dynamo.reset()
    answers.write(json.dumps({"torch": torch.__version__}) + "\n")
    answers.flush()
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps(_in_a_copy(request["text"], float(request["seconds"]), answers.fileno())) + "\n")
        answers.flush()


def _in_a_copy(text: str, seconds: float, private: int) -> dict[str, Any]:
    """What a script shows, run by a fork of this process that has not the pipe to our parent."""
    with tempfile.TemporaryFile() as answer:
        process = os.fork()
        if process == 0:
            with contextlib.suppress(BaseException):
                os.close(private)
                answer.write(json.dumps(_run(text, seconds)).encode())
                answer.flush()
            os._exit(0)
        os.waitpid(process, 0)
        answer.seek(0)
        found = checked(answer.read(_MOST_ANSWER))  # the script could write there, too
    if not isinstance(found, dict) or not isinstance(found.get("events"), list):
        return {"ended": False, "error": "it ended its process", "line": 0, "events": []}
    line = found.get("line")
    reason = {"error": str(found.get("error")), "line": line if isinstance(line, int) else 0}
    return {"ended": found.get("ended") is True, **reason, "events": found["events"]}


def _run(text: str, seconds: float) -> dict[str, Any]:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # no handler of the script's own keeps it alive
    signal.setitimer(signal.ITIMER_REAL, seconds)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    listener = _Listener()
    logging.getLogger("torch.__trace").addHandler(listener)
    folder = tempfile.mkdtemp(prefix="compilelint-")
    os.chdir(folder)
    path = os.path.join(folder, "reproducer.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    limits.refuse((), compiles="'inductor'" in text)
    error, reached = "", 0
    try:
        linecache.checkcache(path)
        exec(compile(text, path, "exec"), {"__name__": "__main__", "__file__": path})
    except BaseException as raised:  # noqa: BLE001 - a script may raise anything, and that is an answer
        error = traceback.format_exception_only(type(raised), raised)[-1].strip()[:500]
        frames = traceback.extract_tb(raised.__traceback__)
        reached = next((one.lineno or 0 for one in frames if one.filename == path), 0)
    return {"ended": not error, "error": error, "line": reached, "events": listener.found}
