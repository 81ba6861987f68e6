"""Record what torch does with the small programs: `python -m benchmarks.small.record SET` writes `SET-VERSION.jsonl`.

A row says the lines where Dynamo ended a graph, by its log, with the id; how many frames were compiled again over the
program's two calls; and the class of an exception that ended the program. Each runs in a fork of its own.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import runpy
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

from benchmarks.small.__main__ import HERE, programs

_AT = re.compile(r"Graph break in user code at (.+?):(\d+)")
_ID = re.compile(r"gb(\d{4})\.html")
SECONDS = 60


class Messages(logging.Handler):
    """Keeps what torch logs of breaks and of what is compiled again."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.messages.append(record.getMessage())


def run(path: Path) -> dict[str, Any]:
    """What happened while a program ran as a script."""
    received, error = Messages(), ""
    torch._logging.set_logs(graph_breaks=True, recompiles=True)
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("torch"):
            logger = logging.getLogger(name)
            logger.handlers = [received] if name.endswith(("graph_breaks", "recompiles")) else []
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(str(path), run_name="__main__")
    except BaseException as raised:  # noqa: BLE001  # the row says it
        error = type(raised).__name__
    breaks = [one for one in (break_of(message, str(path)) for message in received.messages) if one is not None]
    again = sum("Recompiling function" in message for message in received.messages)
    return {"case": path.stem, "breaks": breaks, "recompiles": again, "error": error}


def break_of(message: str, path: str) -> list[Any] | None:
    """The line of the program where a logged break stands, and its id; None for what is no break in it."""
    place = _AT.search(message)
    if place is None:
        return None
    inside = [int(line) for line in re.findall(rf'File "{re.escape(path)}", line (\d+), in', message)]
    lines = [int(place[2])] if place[1] == path else inside[-1:]
    known = _ID.search(message)
    return [lines[0], "GB" + known[1] if known else None] if lines else None


def main() -> None:
    """Record all programs of a set."""
    name = sys.argv[1]
    torch.compile(torch.neg, backend="eager")(torch.ones(1))  # loads Dynamo once, for all forks
    torch._dynamo.reset()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for case, text in programs(name).items():
            path = Path(folder) / f"{case}.py"
            path.write_text(text, encoding="utf-8")
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                os.write(writing, json.dumps(run(path)).encode())
                os._exit(0)
            os.close(writing)
            with open(reading, "rb") as answers:
                answer = answers.read().decode()
            os.waitpid(child, 0)
            rows.append(answer or json.dumps({"case": case, "breaks": [], "recompiles": 0, "error": "died"}))
    version = ".".join(torch.__version__.split(".")[:2])
    (HERE / f"{name}-{version}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
