"""The first lines of a run, `compilelint` and `python -m compilelint`: they must not end in many words.

Importing the rest takes most of a tenth of a second. Ctrl-C in it, and memory that does not suffice for it, is one line
and the right exit code, as later on.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from types import FrameType


def start() -> None:
    """Run the command line of this process and exit."""
    signal.signal(signal.SIGINT, _interrupted)
    gc.disable()  # the process ends soon: looking for garbage among what is imported only costs
    if sys.argv[1:] == ["--version"]:
        _say_version()
    try:
        from compilelint.cli import main
    except (MemoryError, ImportError, OSError) as error:
        if not _lacks_memory(error):
            raise
        _end("error: not enough memory to start; raise the limit (ulimit -v)", 2)
    main()


def _say_version() -> None:
    """Answer what asks for the version without what parses a command line; where this fails, that says why."""
    from compilelint import __version__

    with contextlib.suppress(OSError):
        os.write(1, f"compilelint {__version__}\n".encode())
        os._exit(0)


def _interrupted(number: int, frame: FrameType | None) -> None:
    _end("interrupted", 130)


def _lacks_memory(error: BaseException) -> bool:
    """A module whose library finds no room says so in words only."""
    words = str(error)
    return isinstance(error, MemoryError) or "allocate memory" in words or "failed to map segment" in words


def _end(words: str, code: int) -> None:
    os.write(2, f"compilelint: {words}\n".encode())
    os._exit(code)


if __name__ == "__main__":
    # `-m` puts the current folder first on the path, and what lies in it is a stranger's.
    sys.path[:] = [entry for entry in sys.path if entry]
    start()
