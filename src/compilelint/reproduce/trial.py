"""The process that runs candidates, seen from outside: a script in, what torch logged of it out.

A worker that dies is replaced once for each script; what a script does to its own process concerns that script alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from compilelint.dynamic.answers import checked
from compilelint.dynamic.worker.limits import TEMPORARY

_PACKAGE = str(Path(__file__).parent.parent)
_BOOT = """\
import importlib, importlib.util, sys
folder = sys.argv[1]
found = importlib.util.spec_from_file_location
spec = found("compilelint", folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules["compilelint"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
importlib.import_module("compilelint.reproduce.worker").main()
"""
SECONDS = 30.0


class NoTrialError(Exception):
    """Scripts cannot be run here; the text says why."""


class Sign(NamedTuple):
    """What a script is to show: a `kind` of event with an `id` (a break's, a guard's kind, an error's class).

    `words` stand in where there is no id; for a recompile they are the value that the guard reads. The id of a
    `difference` is the backend; `reproduce.difference` says which scripts show one.
    """

    kind: str
    id: str
    words: str

    def is_in(self, shown: Shown) -> bool:
        """Whether a script showed it and, unless it is an error, ran to its end."""
        found = any(self._is(event) for event in shown.events)
        return found and (shown.ended or self.kind == "error")

    def _is(self, event: dict[str, Any]) -> bool:
        if event.get("kind") != self.kind:
            return False
        if self.kind == "break":
            return bool(event["id"] == self.id if self.id else event["words"] == self.words)
        return bool(event["id"] == self.id and (self.kind != "error" or event["words"] == self.words))


class Shown(NamedTuple):
    """What a script showed: whether it `ended` without an error, the error if not and its line, and torch's events."""

    ended: bool
    error: str
    events: tuple[dict[str, Any], ...]
    line: int = 0


def _is_event(found: object) -> bool:
    """Whether it is what the worker makes of torch's records: a script could have written another."""
    return isinstance(found, dict) and all(isinstance(found.get(name), str) for name in ("kind", "id", "words"))


class Trials:
    """Runs scripts one by one in a process with torch loaded. Used with `with`. Raises NoTrialError."""

    def __init__(self, python: str, paths: tuple[str, ...] = (), seconds: float = SECONDS) -> None:
        self._python, self._paths, self._seconds = python or sys.executable, paths, seconds
        self._process: subprocess.Popen[str] | None = None
        self._scratch = ""
        self.torch = ""

    def __enter__(self) -> Trials:
        self._scratch = tempfile.mkdtemp(prefix="compilelint-")
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def run(self, text: str) -> Shown:
        """What a script shows."""
        for _ in range(2):
            found = self._asked(text)
            if found is not None:
                events = tuple(filter(_is_event, found["events"]))
                return Shown(bool(found["ended"]), str(found["error"]), events, int(found["line"]))
            self._end()
            self._start()
        return Shown(False, "it ended the process that runs scripts", ())

    def _asked(self, text: str) -> dict[str, Any] | None:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.write(json.dumps({"text": text, "seconds": self._seconds}) + "\n")
            process.stdin.flush()
            return self._answer()
        return None

    def _answer(self) -> dict[str, Any] | None:
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = checked(line.encode("utf-8", "replace"))
        return found if isinstance(found, dict) else None

    def _start(self) -> None:
        names = ("TORCH_LOGS", "TORCH_TRACE", "COMPILELINT_WATCH")
        environment = {name: value for name, value in os.environ.items() if name not in names}
        environment |= {"TMPDIR": self._scratch, "PYTHONDONTWRITEBYTECODE": "1", "CUDA_VISIBLE_DEVICES": ""}
        environment[TEMPORARY] = os.path.dirname(self._scratch)  # where a compiler may write, as in any worker
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (*self._paths, environment.get("PYTHONPATH", ""))))
        try:
            self._process = subprocess.Popen(
                [self._python, "-c", _BOOT, _PACKAGE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._scratch,
                env=environment,
                text=True,
            )
        except OSError as error:
            raise NoTrialError(f"{self._python} cannot be run: {error.strerror}") from error
        ready = self._answer()
        if ready is None or "torch" not in ready:
            self._end()
            raise NoTrialError(f"{self._python} cannot run scripts under torch")
        self.torch = str(ready["torch"])

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(OSError):
                if process.stdin is not None:
                    process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2)
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
