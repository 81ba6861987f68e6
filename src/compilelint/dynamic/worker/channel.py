"""The worker's ends of the pipes, out of reach of what it runs, and its promise never to outlive its parent.

Standard output is turned into standard error and standard input is empty, so that a model that prints, or asks, or
floods, cannot touch the protocol; messages carry a secret, for it finds the pipe's number if it tries.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import select
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from compilelint.dynamic.answers import framed
from compilelint.dynamic.orphans import MARK, end_left, end_marked, end_taken_in, take_in_orphans, watch_started
from compilelint.dynamic.protocol import decode

_PR_SET_PDEATHSIG = 1
_BETWEEN_LOOKS = 1.0  # seconds: of what left its environment since then, the guard of a killed worker does not know

DEFECT = 70
"""What a process ends with that did not come to the end of its work."""


class Channel:
    """Messages from and to the parent. When the parent's end closes without a goodbye, the whole group is killed.

    Those to the parent begin with `secret`, which came from it: whatever runs here has the same pipe open.
    """

    def __init__(self, secret: str) -> None:
        post_guard()
        self._secret = secret
        self._out = os.dup(1)  # not inherited by children, as `os.dup` promises
        source = os.dup(0)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        os.dup2(2, 1)
        self._private = [source]
        self._messages: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._listen, args=(source,), daemon=True).start()

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one message whole."""
        data = framed(message, self._secret)
        while data:
            try:
                data = data[os.write(self._out, data) :]
            except BlockingIOError:  # what runs here made it so, for all that write to it
                select.select([], [self._out], [], 1.0)

    def messages(self) -> Iterator[dict[str, Any]]:
        """What the parent says, until it says goodbye."""
        while True:
            message = self._messages.get()
            if message["event"] == "end":
                return
            yield message

    def keep_to_itself(self, *descriptors: int) -> None:
        """More that a copy which runs a target has no use for."""
        self._private += descriptors

    def let_go(self) -> None:
        """Close them, in a copy: it could take what is meant for the processes around it, or answer in their place."""
        for descriptor in self._private:
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _listen(self, source: int) -> None:
        said_goodbye = False
        with os.fdopen(source, encoding="utf-8") as lines:
            for line in lines:
                message = decode(line)
                if message is not None:
                    said_goodbye = said_goodbye or message["event"] == "end"
                    self._messages.put(message)
        if not said_goodbye:
            kill_own_group()


def die_with_parent() -> None:
    """Ask Linux to kill this process when its parent ends; elsewhere nothing can be asked."""
    if sys.platform == "linux":
        _ask_for(signal.SIGKILL)


def post_guard() -> None:
    """See to it that nothing of this process's group, nor what left it, outlives the parent. Linux only.

    This process asks to be killed with its parent. A guard, forked while nothing is loaded yet, waits for this process
    to end, however it ends, and takes the rest along. Elsewhere the pipe's end must do, which a thread that holds the
    interpreter can delay.
    """
    if sys.platform != "linux":
        return
    die_with_parent()
    take_in_orphans()
    worker = os.getpid()
    if os.fork() == 0:
        os.closerange(0, 1024)  # the pipes must close with the worker
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
        _ask_for(signal.SIGUSR1)
        end_left(watch_started(worker, lambda: not _ended(worker)), os.getpid())
        end_marked(os.environ.get(MARK, ""), but=os.getpid())
        if os.getpgrp() == worker:
            os.killpg(worker, signal.SIGKILL)
        os._exit(0)


def _ended(parent: int) -> bool:
    """Whether the parent of this process, which is waited for until the next look, has ended."""
    return os.getppid() != parent or signal.sigtimedwait([signal.SIGUSR1], _BETWEEN_LOOKS) is not None


def _ask_for(number: int) -> None:
    """The signal this process gets when its parent ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)


def kill_own_group() -> None:
    """End this process and what it started; only where the group is its own."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def leave(code: int = 0) -> NoReturn:
    """End at once: what Python and torch do at exit costs most of a second, and daemons must not hold us."""
    sys.stdout.flush()
    sys.stderr.flush()
    end_taken_in()
    os._exit(code)
