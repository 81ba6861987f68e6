"""What belongs to a tree: the real folders that a run may read from and write to.

A symbolic link is a path that someone else wrote. `env.py -> /proc/self/environ` in a pull request would carry the
job's environment into a report, and `report.json -> ~/.bashrc` a report into a shell. So a path counts by the place it
really leads to, and must stay in the repository it seems to lie in.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import field

from compilelint.model.slotted import dataclass

_MARKS = (".git", ".hg")


def repository_around(path: str, known: dict[str, str] | None = None) -> str:
    """The nearest folder with a `.git` or `.hg` at or above a path, by its spelling; empty where there is none.

    `known` holds what was found of folders so far, for those who ask of many paths at once.
    """
    known = {} if known is None else known
    folder = os.path.abspath(path)
    passed: list[str] = []
    while (found := known.get(folder)) is None:
        passed.append(folder)
        above = os.path.dirname(folder)
        if any(os.path.lexists(os.path.join(folder, mark)) for mark in _MARKS):
            found = folder
        elif above == folder:
            found = ""
        if found is not None:
            break
        folder = above
    known.update(dict.fromkeys(passed, found))
    return found


def leads_out(path: str, known: dict[str, tuple[str, ...]] | None = None) -> bool:
    """Whether a path leads by a link out of the tree that the link lies in.

    A link's tree is the repository around it. Outside of any repository a linked folder was made by the one who named
    the path, and only a linked file has to stay in its folder. `known` holds the links on the way to folders that were
    found so far, for those who ask of many paths at once.
    """
    shown = os.path.abspath(path)
    for link in _links_in(shown, {} if known is None else known):
        folder = os.path.dirname(link)
        top = repository_around(folder) or (folder if link == shown and not os.path.isdir(shown) else "")
        if top and not lies_in(os.path.realpath(link), os.path.realpath(top)):
            return True
    return False


def _links_in(path: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The links on the way to an absolute path, itself included, the outermost first."""
    below: list[str] = []
    folder = os.path.dirname(path)
    while folder not in known:
        below.append(folder)
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    links = known.get(folder, ())
    for folder in reversed(below):
        links = known[folder] = (*links, folder) if os.path.islink(folder) else links
    return (*links, path) if os.path.islink(path) else links


def may_name(folder: str, path: str, named: Iterable[str] = ()) -> bool:
    """Whether a file of `folder` may have `path` read or written: that must lie in the same repository.

    An unpacked archive has no repository: there it is the folder itself, and the folders that the run was given.
    """
    tops = [repository_around(folder)]
    if not tops[0]:
        tops = [folder, *(one for one in named if os.path.isdir(one))]
    real = os.path.realpath(path)
    return any(lies_in(real, os.path.realpath(top)) for top in tops)


def lies_in(real: str, folder: str) -> bool:
    """Whether a resolved path is a resolved folder or lies below it."""
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


@dataclass(frozen=True, slots=True)
class Tree:
    """The real folders (and single files) that belong to a run; made with `tree_of`."""

    tops: tuple[str, ...]
    _folders: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def holds(self, path: str) -> bool:
        """Whether a file really lies in the tree. Folders are resolved once, files each time."""
        folder, name = os.path.split(path)
        real = self._folders.get(folder)
        if real is None:
            real = self._folders[folder] = os.path.realpath(folder)
        whole = os.path.join(real, name)
        if os.path.islink(whole):
            whole = os.path.realpath(whole)
        return any(lies_in(whole, top) for top in self.tops)


def tree_of(roots: Iterable[str]) -> Tree:
    """The tree of some paths: what each really is, and the repository around it; nothing of those that lead out."""
    tops: dict[str, None] = {}
    links: dict[str, tuple[str, ...]] = {}
    known: dict[str, str] = {}
    real: dict[str, str] = {}
    for root in roots:
        if leads_out(root, links):
            continue
        tops[os.path.realpath(root)] = None
        repository = repository_around(root if os.path.isdir(root) else os.path.dirname(root), known)
        if repository:
            if repository not in real:
                real[repository] = os.path.realpath(repository)
            tops[real[repository]] = None
    return Tree(tuple(tops))
