"""Environments of other versions of torch, made by uv when first asked for and kept.

An environment may be named by its folder or interpreter instead. Making one installs packages from the index that the
user has configured uv for, never a project: uv is started outside of it. It is done for what the command line names and
for nothing else. All projects share these environments, so each is named by all that was asked of it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

_VERSION = re.compile(r"\d+\.\d+(\.\d+)?([a-z]+\d+|\+\w+)?")
_LIMIT = 1800.0
_READY = ".complete"


class NoEnvironmentError(Exception):
    """No interpreter with that torch can be had: `what` is wrong, and the `hint` says what to do."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}; {hint}")
        self.what = what
        self.hint = hint


def interpreter_of(
    wanted: str, folder: Path, also: Sequence[str] = (), progress: Callable[[str], None] = lambda text: None
) -> str:
    """The interpreter of `2.13`, `2.15.0` or a path, made in `folder` where it is not there yet.

    `also` are further packages of a made one, as pip takes them. Raises NoEnvironmentError.
    """
    if os.sep in wanted or os.path.isdir(wanted):
        return _named(wanted)
    if not _VERSION.fullmatch(wanted):
        raise NoEnvironmentError(
            f"{wanted!r} is not a version of torch", "write 2.13, 2.15.0 or the path of an environment"
        )
    packages = [_requirement(wanted), *map(_located, also)]
    place = folder / f"torch-{wanted}-py{sys.version_info[0]}.{sys.version_info[1]}-{_digest(packages)}"
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    try:
        with _alone_in(place):  # another run may be making it
            if not (place / _READY).exists():
                progress(f"making an environment with torch {wanted} (once)")
                _make(place, python, packages)
                (place / _READY).write_text("", encoding="utf-8")
    except OSError as error:
        raise NoEnvironmentError(f"{place} cannot be made: {error.strerror}", "name another --cache-dir") from error
    return str(python)


@contextlib.contextmanager
def _alone_in(place: Path) -> Iterator[None]:
    """While the block runs, no other process makes this environment. Raises OSError."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{place}.lock", "ab") as held:
        with contextlib.suppress(ImportError):
            import fcntl  # there is none on Windows

            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _digest(packages: Sequence[str]) -> str:
    """A name for all that an environment is made of."""
    asked = json.dumps([*packages, sys.version, sys.platform, os.path.realpath(sys.executable)])
    return hashlib.blake2b(asked.encode(), digest_size=8).hexdigest()


def _located(package: str) -> str:
    """A package by its folder or file as a whole path, since uv is started elsewhere."""
    named = os.sep in package or package.startswith(".")
    return os.path.abspath(package) if named and os.path.exists(package) else package


def _named(path: str) -> str:
    for one in (path, os.path.join(path, "bin", "python"), os.path.join(path, "Scripts", "python.exe")):
        if os.path.isfile(one):
            return os.path.abspath(one)
    raise NoEnvironmentError(f"there is no environment at {path}", "name its folder or its interpreter")


def _requirement(version: str) -> str:
    return f"torch=={version}" if version.count(".") > 1 else f"torch=={version}.*"


def _make(place: Path, python: Path, packages: Sequence[str]) -> None:
    uv = shutil.which("uv") or shutil.which("uv", path=os.path.dirname(sys.executable))
    if uv is None:
        raise NoEnvironmentError(
            "uv is not installed", "pip install 'compilelint[cluster]', or name environments by path"
        )
    _run([uv, "venv", "-q", "--clear", "--python", sys.executable, str(place)], place.parent)
    _run([uv, "pip", "install", "-q", "--python", str(python), "--", *packages], place.parent)


def _run(command: list[str], folder: Path) -> None:
    """Run uv in a folder whose configuration is the user's: it reads that of the project around it."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT, check=False, cwd=folder)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoEnvironmentError(f"uv failed: {error}", "see what it says by itself") from error
    if done.returncode:
        said = done.stderr.strip().splitlines()
        last = said[-1] if said else f"exit code {done.returncode}"
        raise NoEnvironmentError(f"uv cannot make it: {last}", f"try `{shlex.join(['uv', *command[1:]])}`")
