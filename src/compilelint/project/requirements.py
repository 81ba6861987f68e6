"""What the linted project says it needs, read from its pyproject.toml as data."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from compilelint.project.environment import normalised

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def declared_requirements(near: str) -> dict[str, str]:
    """Normalised distribution name to version specifier (`{"torch": ">=2.4"}`) of the project at or above a path.

    Dependencies come before extras: what both name keeps the dependency's specifier. Empty where there is no project,
    or where its pyproject.toml cannot be read; lines that are no requirement are passed over.
    """
    project = _project_table(near)
    found: dict[str, str] = {}
    for line in _lines(project):
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        found.setdefault(normalised(requirement.name), str(requirement.specifier))
    return found


def _lines(project: dict[str, Any]) -> Iterator[str]:
    """The requirement strings of a `[project]` table, whatever else may stand in their place."""
    extras = project.get("optional-dependencies", {})
    groups = [project.get("dependencies", []), *(extras.values() if isinstance(extras, dict) else [])]
    for group in groups:
        if isinstance(group, list):
            yield from (line for line in group if isinstance(line, str))


def _project_table(near: str) -> dict[str, Any]:
    """The `[project]` table of the first pyproject.toml at or above a path, not beyond its repository."""
    folder = os.path.abspath(near)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    while True:
        path = f"{folder}/pyproject.toml"
        if os.path.isfile(path):
            try:
                with open(path, "rb") as opened:
                    table = tomllib.load(opened).get("project", {})
            except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
                return {}
            return table if isinstance(table, dict) else {}
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(f"{folder}/.git"):
            return {}
        folder = above
