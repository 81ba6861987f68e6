"""Which paths a client may name: those that really lie in the folders that were named when the server was started.

Guarantee: what `Roots.path` gives leads, links resolved, into one of the folders; of what lies elsewhere the refusal
does not say whether it exists.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from compilelint.disk.tree import leads_out, lies_in
from compilelint.model.slotted import dataclass
from compilelint.syntax.source import portable


class RefusedError(Exception):
    """A request that is not carried out; the text says why, and what to ask instead."""


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders, absolute with `/`; relative paths count from the first."""

    folders: tuple[str, ...]

    def path(self, named: str) -> str:
        """A path of a client, absolute with `/`. Raises RefusedError."""
        if not named or "\0" in named:
            raise RefusedError("a path is empty or holds a zero byte; name a file or folder")
        path = portable(os.path.normpath(os.path.join(self.folders[0], os.path.expanduser(named))))
        real = os.path.realpath(path)
        inside = any(lies_in(real, os.path.realpath(folder)) for folder in self.folders)
        if not inside or leads_out(path):
            raise RefusedError(f"{named[:200]!r} is not in a folder of this server; those are {self._listed()}")
        if not os.path.lexists(path):
            raise RefusedError(f"no such file or folder: {named[:200]!r}")
        return path

    def paths(self, named: Sequence[str]) -> tuple[str, ...]:
        """The paths of a client, all folders where it names none. Raises RefusedError."""
        return tuple(map(self.path, named)) or self.folders

    def shown(self, path: str) -> str:
        """A path as answers show it: counted from the folder, if there is one alone."""
        (first, *others) = self.folders
        if others or not lies_in(path, first):
            return path
        return path[len(first) :].lstrip("/") or "."

    def _listed(self) -> str:
        return ", ".join(self.folders[:5]) + (" and more" if len(self.folders) > 5 else "")


def roots_of(named: Iterable[str]) -> Roots:
    """The folders that were named. Raises RefusedError where one is not there."""
    folders = []
    for name in named:
        folder = portable(os.path.abspath(name))
        if not os.path.isdir(folder):
            raise RefusedError(f"no such folder: {name}")
        folders.append(folder)
    return Roots(tuple(dict.fromkeys(folders)))
