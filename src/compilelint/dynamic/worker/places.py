"""Places of a worker that serves copies of one project: a forked process for each, which imports from its copy alone.

The first process keeps torch, and what the places before this one imported from outside the project: those modules are
the same for every copy. It hands each job on, and says so when the place's process is no more.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from compilelint.dynamic.answers import checked
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.worker.channel import Channel, die_with_parent
from compilelint.dynamic.worker.last_words import LastWords

Serving = Callable[[Channel, Settings, Mapping[str, Any]], None]


class Place:
    """The process that serves one copy. `serving` runs a job in it."""

    _outside: ClassVar[dict[str, str]] = {}  # by module its file, of what a place imported that no copy holds

    def __init__(self, channel: Channel, settings: Settings, message: Mapping[str, Any], serving: Serving) -> None:
        self._channel = channel
        settings = replace(settings, paths=tuple(message["paths"]), cwd=message["cwd"])
        sys.path[:] = [entry for entry in sys.path if entry]  # no copy is imported from here
        self._import_outside()
        jobs, self._jobs = os.pipe()
        self._answers, answers = os.pipe()
        self._words = LastWords()
        self._child = os.fork()
        if not self._child:
            os.close(self._jobs)
            os.close(self._answers)
            self._words.speak(partial(_live, channel, settings, serving, jobs, answers))
        self._words.let_go()
        os.close(jobs)
        os.close(answers)
        self._lines = os.fdopen(self._answers, encoding="utf-8")

    def serve(self, message: Mapping[str, Any]) -> None:
        """Hand a job on and wait until it is done."""
        with contextlib.suppress(BrokenPipeError):
            data = (json.dumps(message) + "\n").encode()
            while data:
                data = data[os.write(self._jobs, data) :]
        answer = self._lines.readline()
        if answer:
            found = checked(answer.encode("utf-8", "replace"))
            self._outside.update(found if isinstance(found, dict) else {})
            return
        _, status = os.waitpid(self._child, 0)
        self._channel.send({"event": "start", "number": message["number"]})
        ending = self._words.ending(status)
        words = {"fate": ending.fate, "detail": ending.detail}
        self._channel.send({"event": "died", "number": message["number"], **words, "lives": True})

    def leave(self) -> None:
        """End the process; it serves nothing now."""
        os.close(self._jobs)
        self._lines.close()
        self._words.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._child, 0)

    def _import_outside(self) -> None:
        """Import what places before this one needed from outside the project, where the same file is found here."""
        for name, file in self._outside.items():
            if name in sys.modules:
                continue
            with contextlib.suppress(BaseException):  # the place imports it again, and its target meets the error
                found = importlib.util.find_spec(name)
                if found is not None and found.origin == file:
                    importlib.import_module(name)


def _live(channel: Channel, settings: Settings, serving: Serving, jobs: int, answers: int) -> None:
    """Serve jobs from the pipe until it closes."""
    die_with_parent()
    channel.keep_to_itself(jobs, answers)
    before = frozenset(sys.modules)
    if settings.cwd:
        os.chdir(settings.cwd)
    sys.path[:0] = [*settings.paths, ""]
    with os.fdopen(jobs, encoding="utf-8") as lines:
        for line in lines:
            message = json.loads(line)
            channel.send({"event": "start", "number": message["number"]})
            serving(channel, settings, message)
            os.write(answers, (json.dumps(_from_outside(settings, before)) + "\n").encode())


def _from_outside(settings: Settings, before: frozenset[str]) -> dict[str, str]:
    """The modules that were imported here, and do not lie in the copy, each with its file, in order."""
    own = tuple(os.path.join(os.path.abspath(path), "") for path in (settings.cwd or os.getcwd(), *settings.paths))
    found = {}
    for name, module in list(sys.modules.items()):
        file = getattr(getattr(module, "__spec__", None), "origin", None)
        if name not in before and isinstance(file, str) and os.path.isabs(file) and not file.startswith(own):
            found[name] = file
    return found
