"""What a worker refuses to the code it runs: other programs, the network, and files outside its scratch folder.

An import can do anything: repositories were seen that run `pip install` through a shell when their model is imported.
An audit hook refuses that, with an error that the code meets where it asked. This keeps accidents from happening; it is
no sandbox, since native code is not asked. torch's own programs (compilers, their pools) are let through.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Collection, Sequence
from types import FrameType

TEMPORARY = "COMPILELINT_TEMPORARY"
"""The environment variable that names the parent's folder for temporary files."""

PROGRAMS, NETWORK, WRITES = "subprocess", "network", "writes"
KINDS = (PROGRAMS, NETWORK, WRITES)

_PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn")
_NETWORK = (
    "socket.connect",
    "socket.bind",
    "socket.getaddrinfo",
    "socket.gethostby",
    "socket.sendto",
    "socket.sendmsg",
)
# Event to how many of its arguments, from the first, are paths that change.
_CHANGES = {
    "os.rename": 2,
    "os.link": 2,
    "os.symlink": 2,
    "os.remove": 1,
    "os.rmdir": 1,
    "os.mkdir": 1,
    "os.truncate": 1,
    "os.chmod": 1,
    "os.chown": 1,
    "os.utime": 1,
    "sqlite3.connect": 1,
}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PLACES = ("/dev/null", "/dev/shm/", "/dev/tty", "/dev/nvidia", "/proc/self/", f"/proc/{os.getpid()}/")
_TRUSTED = ("torch", "triton", "torch_xla")


class RefusedError(PermissionError):
    """What the code under test asked for and does not get."""


def refuse(allowed: Collection[str]) -> None:
    """Refuse from now on, in this process and its forks, what `allowed` (of KINDS) does not name. It stays so."""
    hook = _Hook(frozenset(allowed))
    sys.addaudithook(hook.judge)


class _Hook:
    def __init__(self, allowed: frozenset[str]) -> None:
        self._allowed = allowed
        self._places = (*_PLACES, *_scratch())
        packages = [getattr(sys.modules.get(name), "__path__", ()) for name in _TRUSTED]
        self._trusted = tuple(f"{folder}{os.sep}" for folders in packages for folder in folders)
        self._library = (sysconfig.get_path("stdlib") + os.sep, "<frozen ")
        self._sites = (sysconfig.get_path("purelib") + os.sep, sysconfig.get_path("platlib") + os.sep)

    def judge(self, event: str, args: Sequence[object]) -> None:
        """Called by Python before each audited step. Raises RefusedError."""
        if event == "open":
            path, _, flags = args
            if isinstance(flags, int) and flags & _WRITING and isinstance(path, (str, bytes)):
                self._judge_write(path)
        elif event in _CHANGES:
            for path in args[: _CHANGES[event]]:
                if isinstance(path, (str, bytes)):
                    self._judge_write(path)
        elif event.startswith(_PROGRAMS):
            if PROGRAMS not in self._allowed and not self._asked_by_torch():
                raise _refused("start a program", _words(args), PROGRAMS)
        elif event.startswith(_NETWORK) and NETWORK not in self._allowed and not self._is_local(args):
            raise _refused("use the network", _words(args[1:] or args), NETWORK)

    def _judge_write(self, path: str | bytes) -> None:
        if WRITES in self._allowed:
            return
        shown = os.fsdecode(path)
        if shown == ":memory:":
            return
        real = os.path.join(os.path.realpath(os.path.dirname(shown) or os.curdir), os.path.basename(shown))
        if not real.startswith(self._places) and not os.path.realpath(real).startswith(self._places):
            raise _refused("write outside the scratch folder", shown, WRITES)

    def _is_local(self, args: Sequence[object]) -> bool:
        """A socket that is a file in our own folder, as processes of one model use among themselves."""
        address = args[1] if len(args) > 1 else None
        return isinstance(address, (str, bytes)) and os.path.realpath(os.fsdecode(address)).startswith(self._places)

    def _asked_by_torch(self) -> bool:
        """Whether the innermost caller that is not of the standard library is torch or its compiler."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            path = frame.f_code.co_filename
            of_library = path.startswith(self._library) and not path.startswith(self._sites)
            if not of_library and path != __file__:
                return path.startswith(self._trusted)
            frame = frame.f_back
        return False


def _scratch() -> tuple[str, ...]:
    """Where may be written: what we made among the temporary files, and the caches that torch is given."""
    folders = [os.environ.get("TORCHINDUCTOR_CACHE_DIR"), os.environ.get("TRITON_CACHE_DIR")]
    own = os.environ.get(TEMPORARY)
    return (
        *(os.path.realpath(one) for one in folders if one),
        *([os.path.join(os.path.realpath(own), "compilelint-")] if own else []),
    )


def _refused(what: str, about: str, kind: str) -> RefusedError:
    return RefusedError(f"compilelint does not let a target {what} ({about}); --allow-{kind} permits it")


def _words(args: Sequence[object]) -> str:
    """What was asked for, on one short line."""
    parts = [word for one in args[:2] for word in ([one] if isinstance(one, (str, bytes)) else _listed(one))]
    text = " ".join(os.fsdecode(one) if isinstance(one, bytes) else one for one in parts)
    return re.sub(r"[^\x20-\x7e]", " ", text)[:120]


def _listed(one: object) -> list[str]:
    return [str(word) for word in one] if isinstance(one, (list, tuple)) else []
