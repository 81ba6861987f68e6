"""Configuration files: the nearest one, what it says, and the files it extends.

A file's is the nearest `compilelint.toml`, or `pyproject.toml` with a `[tool.compilelint]`, at or above its folder.
Files of one invocation that have different ones are linted apart, each by its own, since values are followed through
all files of a run. Where a command has one configuration (`verify`, `bench`), it is the nearest to the folder that all
named paths share, and a note names those that are not used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from compilelint.config.keys import BY_NAME, Place, known, read
from compilelint.config.options import UsageError
from compilelint.config.positions import Path, lines_of
from compilelint.disk.data import NotParsedError, toml_of
from compilelint.disk.read import SMALL, NotReadError, read_bytes
from compilelint.disk.tree import leads_out, may_name
from compilelint.model import Rule
from compilelint.model.slotted import dataclass
from compilelint.report.layout.text import pasted_path, shown_path
from compilelint.syntax.source import portable

_OWN, _SHARED = "compilelint.toml", "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Value:
    """One value as `Options` holds it, and where it was said."""

    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """One file, checked: its values by key. `folder` is what its relative paths count from."""

    path: str
    folder: str
    values: dict[str, Value] = field(default_factory=dict)


def nearest_files(paths: Sequence[str]) -> dict[str, str | None]:
    """For each path the configuration file that holds for it, None where there is none."""
    by_folder: dict[str, str | None] = {}
    found: dict[str, str | None] = {}
    known: dict[str, str | None] = {}
    for path in paths:
        folder = _folder_of(portable(path))
        if folder not in by_folder:
            by_folder[folder] = _nearest(folder, known)
        found[path] = by_folder[folder]
    return found


def nearest_file(paths: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """The file that holds for a run on these paths, and those that lie nearer to one of them and are not read."""
    folders = [_folder_of(portable(path)) for path in paths]
    try:
        shared = os.path.commonpath(folders).replace(os.sep, "/")
    except ValueError:  # two drives
        shared = folders[0]
    known: dict[str, str | None] = {}
    chosen = _nearest(shared, known)
    nearer = [_nearest(folder, known) for folder in dict.fromkeys(folders)]
    return chosen, tuple(dict.fromkeys(one for one in nearer if one is not None and one != chosen))


def _folder_of(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path)


def _nearest(folder: str, known: dict[str, str | None]) -> str | None:
    """The file that holds for a folder; `known` are those of folders that were asked for before."""
    passed: list[str] = []
    found: str | None = None
    while True:
        if folder in known:
            found = known[folder]
            break
        passed.append(folder)
        found = _own_of(folder)
        above = os.path.dirname(folder)
        if found is not None or above == folder:
            break
        folder = above
    known.update(dict.fromkeys(passed, found))
    return found


def _own_of(folder: str) -> str | None:
    for name in (_OWN, _SHARED):
        path = f"{folder.rstrip('/')}/{name}"
        if os.path.isfile(path) and (name == _OWN or _is_ours(path)):
            return path
    return None


def _is_ours(pyproject: str) -> bool:
    """Whether it has a `[tool.compilelint]`; a broken file that never names us is not our business."""
    try:
        data = _bytes_of(pyproject, "pyproject.toml")
    except UsageError:
        if leads_out(pyproject) or os.path.getsize(pyproject) > SMALL:
            raise
        return False
    return b"compilelint" in data and _table(_parsed(data, pyproject), pyproject) is not None


def read_chain(path: str, rules: Sequence[Rule], named: Sequence[str] = ()) -> tuple[ConfigFile, ...]:
    """The file and those it extends, the furthest base first; `named` are the paths of the run. Raises UsageError."""
    chain: list[ConfigFile] = []
    seen: list[str] = []
    said = "--config"
    while True:
        real = os.path.realpath(path)
        if real in seen:
            circle = " -> ".join(shown_path(one) for one in [*seen[seen.index(real) :], real])
            raise UsageError(f"configuration files extend each other in a circle: {circle}", said, "break the circle")
        seen.append(real)
        found = _base(path, rules, said) if chain else read_file(path, rules, said)
        chain.append(found)
        base = found.values.get("extend")
        if base is None:
            return tuple(reversed(chain))
        path, said = _base_of(found, base.value, base.origin, named), base.origin


def _base_of(extending: ConfigFile, base: str, said: str, named: Sequence[str]) -> str:
    """The file that another one extends: it must lie in the same tree. Raises UsageError."""
    path = portable(os.path.join(extending.folder, os.path.expanduser(base)))
    if not may_name(extending.folder, path, named):
        hint = "copy it into the project, or name both with --config"
        raise UsageError(f"{shown_path(path)} is outside the project", said, hint)
    return path


def _base(path: str, rules: Sequence[Rule], said: str) -> ConfigFile:
    """A file that another one extends. Raises UsageError, which quotes nothing of it: it may be no configuration."""
    try:
        return read_file(path, rules, said)
    except UsageError as error:
        if error.where == said:  # not what stands in the file, but that it cannot be read
            raise
        hint = f"check that file alone to see why: compilelint config --config {pasted_path(path)}"
        raise UsageError("the file that is extended has a value that cannot be used", error.where, hint) from error


def read_file(path: str, rules: Sequence[Rule], said: str) -> ConfigFile:
    """One file, every key and value checked; `said` is what named it. Raises UsageError."""
    data = _bytes_of(path, said)
    document = _parsed(data, path)
    own = _table(document, path)
    if own is None:
        raise UsageError(f"{shown_path(path)} has no [tool.compilelint]", said, "add the table or name another file")
    prefix: Path = () if own is document else ("tool", "compilelint")
    place = Place(shown_path(path), prefix, lines_of(data.decode("utf-8").replace("\r\n", "\n")), rules)
    folder = os.path.dirname(portable(path))
    return ConfigFile(portable(path), folder, dict(_values(own, place)))


def _bytes_of(path: str, said: str) -> bytes:
    """What stands in a configuration file. Raises UsageError."""
    if leads_out(path):
        raise UsageError(
            f"{shown_path(path)} is a link out of its tree", said, "copy the file, or name it with --config"
        )
    try:
        return read_bytes(path)
    except NotReadError as error:
        raise UsageError(f"cannot read {shown_path(path)}: {error.message}", said, "name another file") from error


def read_inline(snippet: str, rules: Sequence[Rule]) -> ConfigFile:
    """What `--config 'key = value'` says. Raises UsageError."""
    where = f"--config {snippet!r}"
    try:
        table = toml_of(snippet)
    except NotParsedError as error:
        hint = "write a file name, or a key and its value as in TOML: --config 'fail-on = \"error\"'"
        raise UsageError("neither a file nor valid TOML", where, hint) from error
    return ConfigFile("", portable(os.getcwd()), dict(_values(table, Place(where, (), {}, rules, ours=True))))


def _values(table: dict[str, Any], place: Place) -> Iterator[tuple[str, Value]]:
    for name, value in table.items():
        here = place.at(name)
        key = BY_NAME[known(here, name, BY_NAME)]
        yield name, Value(read(key, here, value), here.shown)


def _table(document: dict[str, Any], path: str) -> dict[str, Any] | None:
    """Our table of a document: all of `compilelint.toml` and of any other file, `[tool.compilelint]` of a project's."""
    if os.path.basename(path) != _SHARED:
        return document
    tool = document.get("tool")
    own = tool.get("compilelint") if isinstance(tool, dict) else None
    if own is not None and not isinstance(own, dict):
        raise UsageError("tool.compilelint is not a table", shown_path(path), "write [tool.compilelint]")
    return own


def _parsed(data: bytes, path: str) -> dict[str, Any]:
    try:
        return toml_of(data)
    except NotParsedError as error:
        where = f"{shown_path(path)}:{error.line}" if error.line else shown_path(path)
        hint = "save it as UTF-8" if "UTF-8" in error.message else "correct the line"
        raise UsageError(error.message, where, hint) from error
