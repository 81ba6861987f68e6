"""What a worker refuses to the code it runs: other programs, the network, and files outside its scratch folder.

An import can do anything: repositories were seen that run `pip install` through a shell when their model is imported.
An audit hook refuses that, with an error that the code meets where it asked. This keeps accidents from happening; it is
no sandbox, since native code is not asked. Where a backend compiles, its own programs (Inductor's and Triton's
compilers and their pools) are let through; so are what the standard library asks of the machine, and our own.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from compilelint.dynamic.worker.databases import Guard

TEMPORARY = "COMPILELINT_TEMPORARY"
"""The environment variable that names the parent's folder for temporary files."""

PROGRAMS, NETWORK, WRITES = "subprocess", "network", "writes"
KINDS = (PROGRAMS, NETWORK, WRITES)

_PROGRAMS = (
    "subprocess.Popen os.system os.exec os.posix_spawn os.spawn os.startfile os.startfile/2 pty.spawn os.forkpty"
).split()
_NETWORK = (
    "socket.connect socket.bind socket.getaddrinfo socket.gethostbyname socket.gethostbyaddr socket.getnameinfo "
    "socket.sendto socket.sendmsg"
).split()
# Event to the places of the paths that change, each with that of the folder it may be relative to.
_CHANGES: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((0, 2), (1, 3)),
    "os.symlink": ((1, 2),),
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.mkdir": ((0, 2),),
    "os.truncate": ((0, None),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.utime": ((0, 3),),
    "os.setxattr": ((0, None),),
    "os.removexattr": ((0, None),),
    "os.chflags": ((0, None),),
}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PLACES = ("/dev/null", "/dev/shm/", "/dev/tty", "/dev/nvidia", "/proc/self/", f"/proc/{os.getpid()}/")
# Files of the standard library that run fixed programs: what libraries, processor and network card the machine has,
# and who cleans up shared memory.
_QUESTIONS = ("ctypes/util.py", "platform.py", "uuid.py", "multiprocessing/resource_tracker.py")


class RefusedError(PermissionError):
    """What the code under test asked for and does not get."""


def refuse(allowed: Collection[str], *, compiles: bool = False) -> None:
    """Refuse from now on, in this process and its forks, what `allowed` (of KINDS) does not name. It stays so.

    `compiles` lets the compilers of torch run their programs. torch is imported before, so that its own start is free.
    """
    hook = _Hook(frozenset(allowed), compiles)
    sys.addaudithook(hook.judge)
    with contextlib.suppress(ImportError):  # not on Windows; `multiprocessing` calls it silently
        import _posixsubprocess

        fork_exec = _posixsubprocess.fork_exec

        def judged(*args: Any) -> Any:
            hook.judge("subprocess.Popen", args)
            return fork_exec(*args)

        _posixsubprocess.fork_exec = judged
    if WRITES not in allowed:
        _ask_before_making(hook)
        hook.databases.install()


def _ask_before_making(hook: _Hook) -> None:
    """Judge what makes a file and raises no event, or one without the folder that its path is relative to."""

    def asking(make: Callable[..., Any], writes: Callable[[Sequence[Any]], bool]) -> Callable[..., Any]:
        @functools.wraps(make)
        def judged(path: Any, *args: Any, dir_fd: int | None = None, **more: Any) -> Any:
            if writes([*args, *more.values()]):
                hook.judge_write(path, dir_fd)
            return make(path, *args, **({} if dir_fd is None else {"dir_fd": dir_fd}), **more)

        return judged

    def opens_to_write(args: Sequence[Any]) -> bool:
        return bool(args) and isinstance(args[0], int) and bool(args[0] & _WRITING)

    dynamo = sys.modules.get("torch._dynamo")
    for name, writes in (("open", opens_to_write), ("mkfifo", lambda _: True), ("mknod", lambda _: True)):
        make = getattr(os, name, None)  # not all are there on Windows
        if make is not None:
            judged = asking(make, writes)
            if dynamo is not None:  # a break is the target's, at its own line
                judged = dynamo.disable(judged)
            setattr(os, name, judged)
            if make in os.supports_dir_fd:  # `shutil` asks
                os.supports_dir_fd.add(judged)


class _Hook:
    def __init__(self, allowed: frozenset[str], compiles: bool) -> None:
        self._places = (*_PLACES, *_scratch())
        self._trusted = tuple(_compilers()) if compiles else ()
        self._own = (str(Path(__file__).resolve().parents[2]) + os.sep,)
        self._library = (sysconfig.get_path("stdlib") + os.sep, "<frozen ")
        self._sites = (sysconfig.get_path("purelib") + os.sep, sysconfig.get_path("platlib") + os.sep)
        self._questions = tuple(os.path.join(sysconfig.get_path("stdlib"), name) for name in _QUESTIONS)
        self.databases = Guard(lambda name: self.judge_write(name, None))
        # By event, since most are none of ours: a model raises some hundred thousand.
        self._judges: dict[str, Callable[[str, Sequence[Any]], None]] = {}
        if WRITES not in allowed:
            self._judges |= {"open": self._judge_open, **dict.fromkeys(_CHANGES, self._judge_change)}
            self._judges["sqlite3.connect"] = self.databases.judge_database
            self._judges["sqlite3.connect/handle"] = self.databases.judge_handle
        if PROGRAMS not in allowed:
            self._judges |= dict.fromkeys(_PROGRAMS, self._judge_program)
        if NETWORK not in allowed:
            self._judges |= dict.fromkeys(_NETWORK, self._judge_network)
        dynamo = sys.modules.get("torch._dynamo")
        if dynamo is not None:  # it would trace what runs while a compiled model opens a file as if it were the model's
            dynamo.decorators.skip(_Hook.judge)
            self._judges = {event: dynamo.disable(judge) for event, judge in self._judges.items()}

    def judge(self, event: str, args: Sequence[Any]) -> None:
        """Called by Python before each audited step. Raises RefusedError."""
        judge = self._judges.get(event)
        if judge is not None:
            judge(event, args)

    def _judge_open(self, event: str, args: Sequence[Any]) -> None:
        path, _, flags = args
        if isinstance(flags, int) and flags & _WRITING and not isinstance(path, int):
            self.judge_write(path, None)

    def _judge_change(self, event: str, args: Sequence[Any]) -> None:
        for place, folder in _CHANGES[event]:
            given = args[folder] if folder is not None and folder < len(args) else None
            self.judge_write(args[place], given)

    def _judge_program(self, event: str, args: Sequence[Any]) -> None:
        if not self._is_asked_by_a_compiler():
            raise _refused("start a program", _words(args), PROGRAMS)

    def _judge_network(self, event: str, args: Sequence[Any]) -> None:
        if not self._is_local(args):
            raise _refused("use the network", _words(args[1:] or args), NETWORK)

    def judge_write(self, path: Any, folder: object) -> None:
        """`path` as it was given; `folder` is the descriptor of the one it is relative to. Raises RefusedError.

        An open file counts by its place: one that was opened to be read has a mode and a time that can be changed.
        """
        shown = _folder_of(path) if isinstance(path, int) else os.fsdecode(path)
        if isinstance(path, int) and not os.path.isabs(shown):  # a pipe, or the system does not say
            return
        if not shown:
            return
        at = os.path.join(_folder_of(folder), shown)
        real = os.path.join(os.path.realpath(os.path.dirname(at) or os.curdir), os.path.basename(at))
        if not real.startswith(self._places) or not os.path.realpath(real).startswith(self._places):
            raise _refused("write outside the scratch folder", shown, WRITES)

    def _is_local(self, args: Sequence[Any]) -> bool:
        """A socket that is a file in our own folder, as processes of one model use among themselves."""
        address = args[1] if len(args) > 1 else None
        return isinstance(address, (str, bytes)) and os.path.realpath(os.fsdecode(address)).startswith(self._places)

    def _is_asked_by_a_compiler(self) -> bool:
        """Whether the innermost caller that is not of the standard library is trusted, or a question that it asks."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code is not _Hook.judge.__code__:
            frame = frame.f_back
        while frame is not None:
            path = frame.f_code.co_filename
            if path in self._questions:
                return True
            if path != __file__ and (not path.startswith(self._library) or path.startswith(self._sites)):
                return path.startswith((*self._trusted, *self._own))
            frame = frame.f_back
        return False


def _compilers() -> Iterator[str]:
    """What may run compilers: Inductor, what describes the system to it, and Triton as installed beside torch."""
    for folder in getattr(sys.modules.get("torch"), "__path__", ()):
        yield os.path.join(folder, "_inductor") + os.sep
        yield os.path.join(folder, "_dynamo", "debug_utils.py")  # asks `nvcc --version` for each graph on CUDA
        yield os.path.join(os.path.dirname(folder), "triton") + os.sep


def _scratch() -> Iterator[str]:
    """Where may be written: what we made among the temporary files, and the caches that torch is given."""
    for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"):
        if os.environ.get(name):
            yield os.path.realpath(os.environ[name])
    if os.environ.get(TEMPORARY):
        yield os.path.join(os.path.realpath(os.environ[TEMPORARY]), "compilelint-")


def _folder_of(descriptor: object) -> str:
    """The folder that an open descriptor stands for, as far as the system says; the working directory for none."""
    if isinstance(descriptor, int) and descriptor >= 0:
        with contextlib.suppress(OSError):
            return os.readlink(f"/proc/self/fd/{descriptor}")
        with contextlib.suppress(ImportError, AttributeError, OSError):
            import fcntl

            found = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))  # type: ignore[attr-defined,unused-ignore]
            return os.fsdecode(found.rstrip(b"\0"))  # macOS
    return os.curdir


def _refused(what: str, about: str, kind: str) -> RefusedError:
    return RefusedError(f"compilelint does not let a target {what} ({about}); --allow-{kind} permits it")


def _words(args: Sequence[Any]) -> str:
    """What was asked for, on one short line."""
    parts = [word for one in args[:2] for word in ([one] if isinstance(one, (str, bytes)) else _listed(one))]
    text = " ".join(os.fsdecode(one) if isinstance(one, bytes) else one for one in parts)
    return re.sub(r"[^\x20-\x7e]", " ", text)[:120]


def _listed(one: object) -> list[str]:
    if not isinstance(one, (list, tuple)):
        return []
    return [os.fsdecode(word) if isinstance(word, bytes) else str(word) for word in one]
