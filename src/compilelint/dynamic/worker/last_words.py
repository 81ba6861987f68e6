"""How a copy of this process ended, and why: it says so itself through a pipe, for as long as it can.

A copy that returns says that it is done, one that raises says whose fault that was, and one that a signal kills leaves
the stack that Python's fault handler saw. One that says nothing and ends with a code was ended by `os._exit`.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import re
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from compilelint.dynamic.worker.channel import DEFECT, leave
from compilelint.dynamic.worker.faults import OURS, PACKAGE, TARGET, fault_of, shown_path
from compilelint.dynamic.worker.recorder import is_watchable

_MOST_BYTES = 60_000  # fewer than a pipe holds, so that it need not be read while the copy lives
_IN_STACK = re.compile(r'^  File "([^"]+)", line (\d+) in (\S+)', re.MULTILINE)


@dataclass(frozen=True)
class Ending:
    """How a copy ended: the fate of its target, `ran` where it returned, and what happened, as said of the model."""

    fate: str
    detail: str = ""


class LastWords:
    """The pipe of one copy. Made before the fork; `speak` in the copy, `ending` in the process that made it."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()

    def speak(self, work: Callable[[], object]) -> NoReturn:
        """Do the work, say how it ended, and end the process: nothing returns into the code of its parent."""
        os.close(self._read)
        faulthandler.enable(self._write)
        ending = Ending("ran")
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it goes into words; there is no caller to go to
            ending = ending_of(error)
        said = {"fate": ending.fate, "detail": ending.detail}
        with contextlib.suppress(OSError):  # the target closed it
            os.write(self._write, ("\n" + json.dumps(said) + "\n").encode())
        leave(0 if ending.fate == "ran" else DEFECT)

    def let_go(self) -> None:
        """Let go of the copy's end, in the parent, so that this process does not keep it open."""
        os.close(self._write)

    def ending(self, status: int) -> Ending:
        """How the copy ended that was waited for with this status."""
        with contextlib.suppress(OSError):
            os.set_blocking(self._read, False)  # processes of the target's may hold the other end
        words = b""
        with contextlib.suppress(OSError):
            while len(words) < _MOST_BYTES and (data := os.read(self._read, _MOST_BYTES)):
                words += data
        self.close()
        return _ending(words.decode("utf-8", "replace"), status)

    def close(self) -> None:
        """Forget the copy."""
        with contextlib.suppress(OSError):
            os.close(self._read)


def _ending(words: str, status: int) -> Ending:
    said = _said(words)
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return Ending("killed", f"was killed by {name}{_place_in_stack(words)}")
    code = os.WEXITSTATUS(status)
    return said or Ending("exited", f"ended the process with code {code} by os._exit or from native code")


def ending_of(error: BaseException) -> Ending:
    """How a process ends that this is raised in. The stack of a defect of ours goes to the output."""
    fault = fault_of(error)
    if fault.whose == OURS:
        traceback.print_exception(error)
    return Ending("exited" if fault.whose == TARGET else "no-answer", fault.text)


def _said(words: str) -> Ending | None:
    """What the copy said of itself; None where it did not come to that."""
    for line in reversed(words.splitlines()):
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            found = json.loads(line)
            return Ending(str(found["fate"]), str(found["detail"]))
    return None


def _place_in_stack(words: str) -> str:
    """The innermost line of the target in what the fault handler wrote of the thread that failed."""
    current = words.rpartition("Current thread ")[2] if "Current thread " in words else words
    for path, line, name in _IN_STACK.findall(current.partition("\n\n")[0]):
        if is_watchable(path) and not path.startswith(PACKAGE):
            return f" in {name}, {shown_path(path)}:{line}"
    return ""


def run_in_copy(work: Callable[[], object]) -> Ending:
    """Fork, do the work there, and wait: how it ended."""
    words = LastWords()
    child = os.fork()
    if not child:
        words.speak(work)
    words.let_go()
    _, status = os.waitpid(child, 0)
    return words.ending(status)
