"""compilelint as another process, started from wherever: never from what lies in the folder it is started in.

`python -m compilelint` puts the current folder first on `sys.path`, so that a `compilelint` or `json.py` of a linted
tree would be run in place of ours, without the limits that `verify` sets for the code it runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

# The path of this process and none that the folder it is started in would add.
_START = (
    "import sys; n = int(sys.argv[1]); sys.path[:] = sys.argv[2 : 2 + n]; sys.argv[1:] = sys.argv[2 + n :]; "
    "from compilelint.__main__ import start; start()"
)


# Linux ends it when the process, or the thread, that started it is gone; what it started ends with it.
_GUARDED = """\
import ctypes, os, signal, sys
parent = int(sys.argv.pop(1))
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)
"""


def command_of(words: Sequence[str], *, ends_with_us: bool = False) -> list[str]:
    """The command that runs `compilelint WORDS...` by the interpreter and with the import path of this process.

    With `ends_with_us` it does not outlive this process, however that ends (Linux). An entry of the path that is
    relative counts from this process's folder; the other one may be started elsewhere.
    """
    path = [os.path.abspath(one) for one in sys.path if one]
    if ends_with_us:
        guarded = [_GUARDED + _START, str(os.getpid())]
        return [sys.executable, "-I", "-c", *guarded, str(len(path)), *path, *words]
    return [sys.executable, "-I", "-c", _START, str(len(path)), *path, *words]
