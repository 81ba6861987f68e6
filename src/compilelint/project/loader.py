"""Modules on demand: a dotted name becomes IR, if it is one to follow and can be read.

torch and the standard library are never followed: what their functions do is a fact, looked up by name, and their
source would hide the name. The same holds for the packages that Dynamo does not trace into.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Protocol

from compilelint.model.patterns import late_pattern
from compilelint.project.modules import EXTENSION_ENDINGS, Found, Kind, ModuleFinder, ModuleName, module_name
from compilelint.syntax import ir
from compilelint.syntax.lowering import lower
from compilelint.syntax.notebooks import is_notebook
from compilelint.syntax.source import Readings, Source
from compilelint.syntax.unreadable import Unreadable

_TORCH = frozenset({"torch", "functorch", "torchgen", "triton"})
_INSTALLED = ("/site-packages/", "/dist-packages/")


class Kept(Protocol):
    """The IR of earlier runs, by the hash of what stands in a file. What `keep` gives is to be gone on with: the module
    it was given, or one that is the same.
    """

    def module(self, source: Source, name: str, is_package: bool) -> ir.Module | None: ...

    def keep(self, source: Source, module: ir.Module) -> ir.Module: ...

    def numbers(self, source: Source, name: str, is_package: bool) -> Sequence[int] | None:
        """How to number the lines of a linted file (`syntax.places`)."""
        ...


class Loader:
    """Lowers what the finder finds. `unreadable` gathers the modules that exist but could not be read.

    `follow` is `all`, `project` (not what is installed) or `none` (nothing beyond the linted files); `by_fact` are
    top-level packages that torchfacts describes, so that their source is not followed.
    """

    def __init__(self, finder: ModuleFinder, follow: str, by_fact: Iterable[str] = ()) -> None:
        self.finder = finder
        self.readings = Readings()
        self.asked: dict[str, bool] = {}  # every name that was looked up, found or not; whether as a package too
        self.follow = follow
        self.unreadable: list[Unreadable] = []
        self.kept: Kept | None = None
        self.keeps_linted = False  # linted files too: an editor asks again and again, and changes one of them
        self._by_fact = _TORCH | sys.stdlib_module_names | {"typing_extensions"} | frozenset(by_fact)

    def load(self, dotted: str) -> ir.Module | None:
        """The IR of a module; None where it is not to be followed, does not exist or cannot be read."""
        self.asked.setdefault(dotted, False)
        found = self._followed(dotted)
        if found is None:
            self._refuse_link(dotted)
            return None
        source = self.readings.read(found.path)
        package = found.kind is Kind.PACKAGE
        module = source if isinstance(source, Unreadable) else self.lowered(source, dotted, package)
        if isinstance(module, Unreadable):
            self.unreadable.append(module)
            return None
        return module

    def lowered_linted(self, source: Source, dotted: str, package: bool) -> ir.Module | Unreadable:
        """The IR of a linted file's text."""
        return (
            self.lowered(source, dotted, package, True) if self.keeps_linted else load_source(source, dotted, package)
        )

    def lowered(self, source: Source, dotted: str, package: bool, linted: bool = False) -> ir.Module | Unreadable:
        """The IR of a text, an earlier run's if it is kept."""
        known = None if self.kept is None else self.kept.module(source, dotted, package)
        if known is not None:
            return known
        numbers = self.kept.numbers(source, dotted, package) if self.kept is not None and linted else None
        module = load_source(source, dotted, package, numbers)
        if self.kept is not None and not isinstance(module, Unreadable):
            return self.kept.keep(source, module)
        return module

    def text(self, dotted: str) -> Source | Unreadable | None:
        """What `load` would lower; None where it would look at nothing."""
        found = self._followed(dotted)
        return None if found is None else self.readings.read(found.path)

    def meaning(self, dotted: str, as_package: bool) -> list[object]:
        """What `load`, and where asked `is_package`, find under a name; nothing is read.

        Whether an earlier outcome still holds is no question of this run: what is not there is not missed by it.
        """
        missed, self.finder.missed = self.finder.missed, set()
        try:
            found = self._followed(dotted) or self.compiled(dotted)
            there = as_package and self.is_there(dotted)
            return [as_package, None if found is None else found.path, as_package and self._is_package(dotted), there]
        finally:
            self.finder.missed = missed

    def miss(self, dotted: str) -> None:
        """Look a name up for an outcome that is taken from an earlier run: what it lacked is still lacking."""
        if self._followed(dotted) is None:
            self.compiled(dotted)

    def _followed(self, dotted: str) -> Found | None:
        if self._is_ruled_out(dotted):
            return None
        found = self.finder.find(dotted)
        if found is None or not found.has_source or (self.follow == "project" and not found.in_project):
            return None
        return None if self._leads_out(found) else found

    def _is_ruled_out(self, dotted: str) -> bool:
        """Whether a name is not even looked for, there or not: `meaning` must not depend on who asked before."""
        return self.follow == "none" or dotted.partition(".")[0] in self._by_fact

    def _leads_out(self, found: Found) -> bool:
        """Whether a module of the project is a link to something else's file."""
        return found.in_project and not self.finder.tree.holds(found.path)

    def _refuse_link(self, dotted: str) -> None:
        found = None if self._is_ruled_out(dotted) else self.finder.find(dotted)
        if found is not None and found.has_source and self._leads_out(found):
            refused = Unreadable("link", found.path, "a link that leads out of the project")
            if refused not in self.unreadable:
                self.unreadable.append(refused)

    def is_package(self, dotted: str) -> bool:
        """Whether a name can have submodules."""
        self.asked[dotted] = True
        return self._is_package(dotted)

    def is_there(self, dotted: str) -> bool:
        """Whether a name would be found; what is not looked for is taken to be there."""
        return self._is_ruled_out(dotted) or self.finder.find(dotted) is not None

    def is_in_project(self, dotted: str) -> bool:
        """Whether a name would be loaded from the project."""
        found = self._followed(dotted)
        return found is not None and found.in_project

    def is_compiled(self, dotted: str) -> bool:
        """Whether a name lies in a compiled module (`.so`, `.pyd`) that was looked up: there is no source to follow."""
        parts = dotted.split(".")
        modules = [".".join(parts[:i]) for i in range(1, len(parts))]
        return any(name in self.asked and self.compiled(name) for name in modules)

    def compiled(self, dotted: str) -> Found | None:
        """The compiled module of a name, None where it is none or not to be looked at."""
        if self._is_ruled_out(dotted):
            return None
        found = self.finder.find(dotted)
        return found if found is not None and found.path.endswith(EXTENSION_ENDINGS) else None

    def _is_package(self, dotted: str) -> bool:
        found = self.finder.find(dotted)
        return found is not None and found.kind in (Kind.PACKAGE, Kind.NAMESPACE)

    def importable(self, module: ir.Module) -> bool:
        """Whether other modules may see a linted file under its name; torch's own files are facts to all others."""
        top = module.name.partition(".")[0]
        if top in _TORCH or is_notebook(module.path):
            return False
        installed = any(part in module.path for part in _INSTALLED) or self._in_stdlib(module.path)
        return not (top in self._by_fact and installed)

    def _in_stdlib(self, path: str) -> bool:
        stdlib = self.finder.environment.stdlib
        return bool(stdlib) and path.startswith(f"{stdlib}/")


def load_source(
    source: Source, name: str, is_package: bool, numbers: Sequence[int] | None = None
) -> ir.Module | Unreadable:
    """Parse and lower a text; `numbers` are those of its lines, where they are not numbered from 1 on."""
    tree = source.tree()
    return tree if isinstance(tree, Unreadable) else lower(tree, source.text, source.path, name, is_package, numbers)


_STAR = late_pattern(r"import[\s\\]*\*")  # with `\b` in front, it takes ten times as long


def takes_all(text: str) -> bool:
    """Whether a module of that text takes all names of another."""
    return _STAR.search(text) is not None


class Names:
    """Gives every linted file a name of its own: `train.py` of two folders become `train` and `second.train`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, path: str) -> ModuleName:
        """The file's module name, with folders in front as far as another file has the name already."""
        found = module_name(path)
        dotted = found.dotted
        for folder in reversed(found.root.strip("/").split("/")):
            if dotted not in self._taken:
                break
            dotted = f"{folder}.{dotted}"
        self._taken.add(dotted)
        return ModuleName(dotted, found.root, found.is_package)
