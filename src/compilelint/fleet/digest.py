"""Digests of a target's own files, which show whether a process of a cluster sees what its client sees.

A target's own files are those of its outermost package, or its file, below the folders that come first on `sys.path`.
Installed packages are not looked at. Nothing is imported.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

MOST_FILES = 20_000
"""Files of one package that are looked at."""

_SUFFIXES = (".py", ".json", ".toml", ".yaml", ".yml")


def digests(reference: str, paths: Sequence[str], folder: str) -> dict[str, str]:
    """The digest of the package or file that `pkg.mod:Name` or `file.py:Name` names, by its path.

    `folder` is what a relative file is relative to. Empty where it is found nowhere below `paths`.
    """
    place = home_of(reference, paths, folder)
    if not place:
        return {}
    whole = hashlib.blake2b(digest_size=16)
    for name, digest in sorted(each(place).items()):
        whole.update(f"{name}\0{digest}\n".encode("utf-8", "surrogatepass"))
    return {place: whole.hexdigest()}


def each(place: str) -> dict[str, str]:
    """The digest of every file of a package by its path within, or of one file by its name."""
    if os.path.isfile(place):
        return {os.path.basename(place): _digest(place, *_stamp(place))}
    names = (os.path.relpath(path, place).replace(os.sep, "/") for path in _files(place))
    return {name: _digest(os.path.join(place, name), *_stamp(os.path.join(place, name))) for name in names}


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Which file differs first, in words; empty where none does."""
    for name in sorted({*here, *there}):
        if name not in there:
            return f"{name} is not there"
        if name not in here:
            return f"{name} is there only"
        if here[name] != there[name]:
            return f"{name} differs"
    return ""


def home_of(reference: str, paths: Sequence[str], folder: str) -> str:
    """The package's folder, or the file, that a reference leads to; empty where there is none below `paths`."""
    where = reference.rpartition(":")[0]
    if where.endswith(".py"):
        path = os.path.join(folder, where)
        return path if os.path.isfile(path) else ""
    top = where.partition(".")[0]
    for root in (*paths, folder):
        package, file = os.path.join(root, top), os.path.join(root, f"{top}.py")
        if os.path.isdir(package):
            return package
        if os.path.isfile(file):
            return file
    return ""


def _files(place: str) -> Iterator[str]:
    found = 0
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(one for one in folders if one != "__pycache__" and not one.startswith("."))
        for name in sorted(names):
            if name.endswith(_SUFFIXES):
                found += 1
                if found > MOST_FILES:
                    return
                yield os.path.join(folder, name)


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=2 * MOST_FILES)
def _digest(path: str, size: int, changed: int) -> str:
    """Of a file as its size and time say it is; empty for one that cannot be read."""
    try:
        with open(path, "rb") as opened:
            return hashlib.blake2b(opened.read(), digest_size=16).hexdigest()
    except OSError:
        return ""
