"""What the linted project says it needs, read from its pyproject.toml as data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from compilelint.disk.data import NotParsedError, toml_of
from compilelint.disk.read import NotReadError, read_bytes
from compilelint.disk.tree import leads_out
from compilelint.project.environment import normalised


def declared_requirements(near: str) -> dict[str, str]:
    """Normalised distribution name to version specifier (`{"torch": ">=2.4"}`) of the project at or above a path.

    Dependencies come before extras: what both name keeps the dependency's specifier. Empty where there is no project,
    or where its pyproject.toml cannot be read; lines that are no requirement are passed over.
    """
    project = _project_table(near)
    found: dict[str, str] = {}
    for line in _requirement_lines(project):
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        found.setdefault(normalised(requirement.name), str(requirement.specifier))
    return found


def _requirement_lines(project: dict[str, Any]) -> Iterator[str]:
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
                table = {} if leads_out(path) else toml_of(read_bytes(path)).get("project", {})
            except (NotReadError, NotParsedError):
                return {}
            return table if isinstance(table, dict) else {}
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(f"{folder}/.git"):
            return {}
        folder = above
