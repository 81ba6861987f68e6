"""What `.pth` files and editable installs add to a site folder, without obeying them.

Python executes lines of a `.pth` file that begin with `import`; we read only its path lines. Editable installs of
setuptools hide their paths behind such a line: the finder module it names is parsed, and its mapping is taken if it
is a plain literal.
"""

from __future__ import annotations

import ast
import os
from dataclasses import field

from compilelint.model.patterns import late_pattern
from compilelint.model.slotted import dataclass
from compilelint.syntax.source import portable, read_source
from compilelint.syntax.unreadable import Unreadable

_FINDER = late_pattern(r"__editable___.*_finder\.py$")


@dataclass(frozen=True, slots=True)
class PathEntries:
    """Folders to search after the site folder, top-level names of editable installs, and what was passed over."""

    folders: tuple[str, ...] = ()
    editable: dict[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def path_entries(site: str) -> PathEntries:
    """Read the `.pth` files and the editable finders of one site folder."""
    try:
        names = sorted(os.listdir(site))
    except OSError:
        return PathEntries()
    folders: list[str] = []
    editable: dict[str, str] = {}
    notices: list[str] = []
    for name in names:
        if name.endswith(".pth") and not name.startswith("."):
            folders += _path_lines(site, name)
        elif _FINDER.fullmatch(name):
            mapping = _finder_mapping(f"{site}/{name}")
            if mapping is None:
                notices.append(f"{site}/{name} has no plain mapping; its editable install is not followed")
            else:
                editable.update(mapping)
    return PathEntries(tuple(dict.fromkeys(folders)), editable, tuple(notices))


def _path_lines(site: str, name: str) -> list[str]:
    """The existing folders that a `.pth` file names; relative ones start at the site folder."""
    source = read_source(f"{site}/{name}")
    if isinstance(source, Unreadable):
        return []
    folders = []
    for line in source.lines:
        entry = line.strip()
        if not entry or entry.startswith(("#", "import ", "import\t")) or "\0" in entry:
            continue
        folder = os.path.join(site, entry)
        if os.path.isdir(folder):
            folders.append(portable(folder))
    return folders


def _finder_mapping(path: str) -> dict[str, str] | None:
    """The literal `MAPPING` of a setuptools finder: top-level name to folder or file. None if it is anything else."""
    source = read_source(path)
    tree = source if isinstance(source, Unreadable) else source.tree()
    if isinstance(tree, Unreadable):
        return None
    for statement in tree.body:
        target = _single_name(statement)
        if target != "MAPPING" or not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
            continue
        try:
            mapping = ast.literal_eval(statement.value)
        except (ValueError, TypeError, RecursionError, MemoryError):
            return None
        if isinstance(mapping, dict) and all(isinstance(text, str) for pair in mapping.items() for text in pair):
            return {name: portable(target) for name, target in mapping.items()}
        return None
    return None


def _single_name(statement: ast.stmt) -> str:
    """`X` for `X = ...` and `X: T = ...`, else an empty string."""
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return ""
