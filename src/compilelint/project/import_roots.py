"""Where a project's modules are imported from: its folder, `src` in it, and what its pyproject.toml says.

A folder without `__init__.py` is a namespace package, so a file's module follows from its path below such a root, not
from the `__init__.py` files around it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from compilelint.disk.data import NotParsedError, toml_of
from compilelint.disk.read import NotReadError, read_bytes
from compilelint.disk.tree import leads_out, lies_in


def import_roots(folder: str) -> tuple[str, ...]:
    """The folders that belong on `sys.path`, the project's own first; only those that are there and lie in it."""
    real = os.path.realpath(folder)
    found = [folder]
    for name in ("src", *_declared(_pyproject(folder))):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isdir(path) and lies_in(os.path.realpath(path), real):
            found.append(path)
    return tuple(dict.fromkeys(found))


def reference_of(path: str, roots: tuple[str, ...]) -> str:
    """What stands before the colon in the name of a target: the module that a file is below the nearest root around it,
    else the file from the first root.
    """
    around = [root for root in roots if path.startswith(f"{root.rstrip('/')}/")]
    if not around:
        return path
    inside = path[len(max(around, key=len).rstrip("/")) + 1 :]
    parts = inside.removesuffix(".py").removesuffix("/__init__").split("/")
    if all(part.isidentifier() for part in parts):
        return ".".join(parts)
    return path[len(roots[0].rstrip("/")) + 1 :] if path.startswith(roots[0]) else path


def _pyproject(folder: str) -> dict[str, Any]:
    path = os.path.join(folder, "pyproject.toml")
    try:
        return {} if leads_out(path) else toml_of(read_bytes(path))
    except (NotReadError, NotParsedError):
        return {}


def _declared(project: dict[str, Any]) -> Iterator[str]:
    """Folders of packages as setuptools, Poetry, Hatch, PDM and maturin are given them."""
    tool = _table(project, "tool")
    setuptools = _table(tool, "setuptools")
    yield from _texts(_table(setuptools, "package-dir").get(""))
    yield from _texts(_table(setuptools, "packages", "find").get("where"))
    for package in _list(_table(tool, "poetry").get("packages")):
        if isinstance(package, dict):
            yield from _texts(package.get("from"))
    wheel = _table(tool, "hatch", "build", "targets", "wheel")
    yield from (os.path.dirname(one) for one in _texts(wheel.get("packages")))
    yield from _texts(wheel.get("sources"))
    yield from _texts(_table(tool, "pdm", "build").get("package-dir"))
    yield from _texts(_table(tool, "maturin").get("python-source"))


def _table(around: dict[str, Any], *names: str) -> dict[str, Any]:
    """A table in tables; an empty one where there is none."""
    for name in names:
        found = around.get(name)
        around = found if isinstance(found, dict) else {}
    return around


def _texts(value: Any) -> list[str]:
    return [one for one in _list([value] if isinstance(value, str) else value) if isinstance(one, str)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
