"""Whose fault it is that something was raised, and in what words: the target's, the machine's, or a defect of ours.

The innermost frames decide: what our code raises while torch or we ourselves called it is a defect of ours, unless it
was handing over to the target just then (`hands_over`), and unless the machine had no room left.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import shutil
import tempfile
import traceback
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch

from compilelint.dynamic.worker.limits import TEMPORARY, RefusedError

resource: Any = None  # not on Windows
with contextlib.suppress(ImportError):  # now: where no file can be opened any more, nothing can be imported
    resource = importlib.import_module("resource")

TARGET, OURS, MACHINE = "target", "ours", "machine"

PACKAGE = str(Path(__file__).resolve().parents[2]) + os.sep
_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_NO_FILES = (errno.EMFILE, errno.ENFILE)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_LEAST_ROOM = 1 << 16  # bytes: with less, nothing that a run keeps can be written
_MOST_WORDS = 1000
# Whose every line makes something of what the user wrote or holds, which may not be fit for it.
_MAKING = frozenset(
    "dynamic/worker/adapters.py dynamic/worker/conditions.py dynamic/worker/elsewhere.py dynamic/worker/exercises.py "
    "dynamic/worker/forms.py dynamic/worker/held.py dynamic/worker/inputs.py dynamic/worker/variations.py "
    "bench/worker/subject.py".split()
)
# What no argument and no tensor can bring about.
_SLIPS = (ImportError, NameError, AssertionError)

Function = TypeVar("Function", bound=Callable[..., Any])

alone = False
"""Whether this process runs targets and nothing else, so that no user's Ctrl-C reaches it. Set by what starts it."""

_handing_over: set[types.CodeType] = set()


@dataclass(frozen=True)
class Fault:
    """Who is to blame, and what happened, in one line."""

    whose: str
    text: str


def hands_over(function: Function) -> Function:
    """Mark a function of ours whose own frame raises what the target is to blame for.

    It calls the target, whose parameters may be others, or touches its tensors, which may be in any state.
    """
    assert isinstance(function, types.FunctionType), "only a function has a frame of its own"
    _handing_over.add(function.__code__)
    return function


@hands_over
def called(function: Callable[..., Any], args: Any = (), named: Any = types.MappingProxyType({})) -> Any:
    """What the target's function gives for a call."""
    return function(*args, **named)


def fault_of(error: BaseException) -> Fault:
    """Who is to blame for an exception that ended a process or a call."""
    lack = None if isinstance(error, RefusedError) else _lack(error)
    if lack is not None:
        return lack
    if is_ours(error) or (isinstance(error, Exception) and not place_in_target(error)):
        return Fault(OURS, f"a defect of compilelint: {_cause(error)}{_our_place(error)}")
    return Fault(TARGET, f"raised {as_raised(error)}{place_in_target(error)}")


def is_ours(error: BaseException) -> bool:
    """Whether a defect of ours raised this: no answer of the target's, and nothing that the machine lacks."""
    if isinstance(error, (RefusedError, MemoryError)) or not isinstance(error, Exception):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    inner = len(frames)
    while inner and frames[inner - 1].f_code.co_filename.startswith(PACKAGE):
        inner -= 1
    own = frames[inner:]
    if not own or _lack(error) is not None:
        return False
    if own[-1].f_code in _handing_over or _file_in_package(own[-1].f_code.co_filename) in _MAKING:
        return isinstance(error, _SLIPS)
    # Our patches of what targets call (`os.open`) raise what the target's own call deserved.
    return inner == 0 or frames[inner - 1].f_code.co_filename.startswith(_TORCH)


def is_answer(error: BaseException) -> bool:
    """Whether what was raised is what a call of the target gave, and not for those above it to meet.

    What ends a process (SystemExit, KeyboardInterrupt) is an answer only in a process that runs nothing but targets.
    """
    return (alone or isinstance(error, Exception)) and not is_ours(error)


def said(error: BaseException) -> str:
    """The class and the words of an exception."""
    return f"{type(error).__name__}: {error}".strip().removesuffix(":")[:_MOST_WORDS]


def place_in_target(error: BaseException) -> str:
    """`, in forward, net.py:12`: the innermost line that is neither ours, torch's, nor the standard library's."""
    from compilelint.dynamic.worker.recorder import is_watchable

    frames = [one for one in traceback.extract_tb(error.__traceback__) if is_watchable(one.filename)]
    own = [one for one in frames if not one.filename.startswith(PACKAGE)]
    return f" in {own[-1].name}, {shown_path(own[-1].filename)}:{own[-1].lineno}" if own else ""


def shown_path(path: str) -> str:
    """A path as seen from the working folder, where it lies inside."""
    with contextlib.suppress(OSError):
        inside = os.path.relpath(path)
        return path if inside.startswith(os.pardir) else inside
    return path


def as_raised(error: BaseException) -> str:
    """`SystemExit(0)`: what ends a process has few words of its own."""
    return (
        said(error) if isinstance(error, Exception) else f"{type(error).__name__}({', '.join(map(repr, error.args))})"
    )


def _cause(error: BaseException) -> str:
    """What was raised, on one line; Dynamo puts what a backend raises, as our recorder is, into another exception."""
    return " ".join(said(getattr(error, "inner_exception", error)).split())


def _our_place(error: BaseException) -> str:
    """`, dynamic/worker/seeding.py:31`: the innermost line of ours."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(PACKAGE)]
    return f", {_file_in_package(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""


def _file_in_package(path: str) -> str:
    return path.removeprefix(PACKAGE).replace(os.sep, "/")


def _lack(error: BaseException) -> Fault | None:
    """What ran out, and who used it up; None where nothing did. torch has no class for it, so the rest is measured."""
    if not isinstance(error, (OSError, RuntimeError, ImportError)):
        return None
    number = error.errno if isinstance(error, OSError) else None
    if number in _NO_FILES or (number is None and _no_files_left()):
        return Fault(TARGET, f"used up the limit of {_most_files()} open files")
    if number in _NO_ROOM or (number is None and _no_room_left()):
        room = (
            f"no room is left for temporary files in {_scratch()}; make room there, or let TMPDIR name another folder"
        )
        return Fault(MACHINE, room)
    return None


def _no_files_left() -> bool:
    try:
        os.close(os.dup(2))
    except OSError as error:
        return error.errno in _NO_FILES
    return False


def _most_files() -> str:
    return "all" if resource is None else str(resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _scratch() -> str:
    return os.environ.get(TEMPORARY) or tempfile.gettempdir()


def _no_room_left() -> bool:
    try:
        return shutil.disk_usage(_scratch()).free < _LEAST_ROOM
    except OSError:
        return False
