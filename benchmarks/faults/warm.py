"""Whether tests see a mutation, in well under a second: the source is imported once, then every mutant is a fork.

A mutation inside functions takes effect by their code being exchanged in the forked process. What is evaluated while
modules are imported, a table or a function that builds one, is imported again in a fork that was made before. The file
of the copy holds the mutation meanwhile, so that processes which a test starts see it as well.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType, FunctionType

_QUICK = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", "-m"]
_OTHERS = "_pytest.assertion.rewrite hypothesis.strategies libcst click rich.console yaml jsonschema pathspec".split()
_Place = tuple[str, int, str]


def prepare(copy: Path) -> None:
    """Make this process one that imports the source from `copy`, with what others wrote imported already."""
    os.chdir(copy)
    os.environ["PYTHONPATH"] = os.pathsep.join((str(copy / "src"), str(copy)))
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(copy / "src"), str(copy)]
    for name in _OTHERS:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


class Warm:
    """The functions of the imported source by place, and which of them ran while it was imported."""

    def __init__(self, copy: Path) -> None:
        self._ran: set[_Place] = set()
        sys.setprofile(self._note)
        for path in sorted((copy / "src" / "compilelint").rglob("*.py")):
            name = ".".join(path.relative_to(copy / "src").with_suffix("").parts).removesuffix(".__init__")
            if "worker" not in name and "__main__" not in name and "generate" not in name:
                importlib.import_module(name)
        sys.setprofile(None)
        self._functions: dict[_Place, list[FunctionType]] = {}
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                self._functions.setdefault(_place(one.__code__), []).append(one)
        gc.collect()
        gc.freeze()

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            self._ran.add(_place(frame.f_code))

    def exchange(self, path: Path, text: bytes, mutated: bytes) -> bool:
        """Exchange what the mutation changed; False where that would not take effect."""
        old, new = _codes(path, text), _codes(path, mutated)
        if old.keys() != new.keys():
            return False  # functions moved, and they are known by their line
        changed = {place for place in new if list(map(_own, old.get(place, ()))) != list(map(_own, new[place]))}
        if changed & self._ran or any(place[2] == "<module>" for place in changed):
            return False
        exchanged = 0
        for place, functions in self._functions.items():
            if place in new and old.get(place) != new[place]:
                if len(new[place]) > 1:
                    return False  # two lambdas of one line
                exchanged += len(functions)
                for function in functions:
                    function.__code__ = new[place][0]
        return exchanged > 0


def _place(code: CodeType) -> _Place:
    return code.co_filename, code.co_firstlineno, code.co_name


def _codes(path: Path, text: bytes) -> dict[_Place, list[CodeType]]:
    """Every code object of a file by its place; those of one line and name, such as lambdas, together."""
    found: dict[_Place, list[CodeType]] = {}
    waiting = [compile(text, str(path), "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        found.setdefault(_place(code), []).append(code)
        waiting += [one for one in code.co_consts if isinstance(one, CodeType)]
    return found


def _own(code: CodeType) -> tuple[object, ...]:
    """What a code object does itself, without the functions inside it."""
    constants = tuple(None if isinstance(one, CodeType) else (type(one), one) for one in code.co_consts)
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars


@contextlib.contextmanager
def written(path: Path, mutated: bytes) -> Iterator[None]:
    """The file holds the mutation, at a time of its own: byte code is known by size and second."""
    text, status = path.read_bytes(), path.stat()
    path.write_bytes(mutated)
    os.utime(path, (status.st_atime, status.st_mtime + 60 + time.monotonic_ns() % 10**6))
    try:
        yield
    finally:
        path.write_bytes(text)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def passes(tests: Sequence[str], before: Callable[[], bool], seconds: float, *, real: bool = False) -> bool | None:
    """Whether quick tests pass in a fork; None where `before`, run first in it, says that it cannot be known there.

    With `real` those that run TorchDynamo are asked too.

    Raises RuntimeError where the tests did not run.
    """
    child = os.fork()
    if child == 0:
        code = 9
        try:
            os.setpgid(0, 0)
            with open(os.devnull, "a") as nowhere:
                os.dup2(nowhere.fileno(), 1)
                os.dup2(nowhere.fileno(), 2)
            code = _run(tests, real) if before() else 8
        except Exception:  # noqa: BLE001  # a fork must not go on as its parent would
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(code)
    status = _waited(child, seconds)
    if status in (4, 9):
        raise RuntimeError(f"{' '.join(tests)} did not run: status {status}")
    # 5: none of the tests is quick
    return {0: True, 5: True, 8: None}.get(status, False)


def _run(tests: Sequence[str], real: bool) -> int:
    import pytest

    return int(pytest.main([*_QUICK, "not slow" if real else "not slow and not dynamo", *tests]))


def _waited(child: int, seconds: float) -> int:
    """The exit status; 124 where the process was ended because it took too long."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 124
