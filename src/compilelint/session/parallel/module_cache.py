"""Modules as parts share them: lowered once, packed while no part needs them, and what each part took of them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from compilelint.interp.core.handed_stores import HANDED, said_of_handed
from compilelint.interp.driver.hosting import own_words, worth_hosting
from compilelint.interp.driver.unreached import HOSTS, said_of_hosts
from compilelint.project.classes import ModuleInfo, names_of
from compilelint.project.loader import Loader, takes_all
from compilelint.project.outline import Outline, outline_of, read, said, said_for, written
from compilelint.session.pipeline.inputs import Linted
from compilelint.survey.words import worth_surveying
from compilelint.syntax import ir
from compilelint.syntax.facts import unnoted
from compilelint.syntax.packed import packed, unpacked
from compilelint.syntax.source import Source
from compilelint.syntax.unreadable import Unreadable

# What is said of all of a file, by the purpose that it is noted under (`aside`).
_SAID: dict[str, Callable[[ModuleInfo], str]] = {HOSTS: said_of_hosts, HANDED: said_of_handed}
_MOST_SEARCHED = 8_000_000  # bytes of texts that are searched for names; of others the names are kept
_MOST_HELD = 50_000  # likewise, answers to such searches
_LEVEL = 1  # of compression: a third of the bytes, for a twentieth of the time that lowering takes


class _Searched:
    """A module that was asked for a name: where it is, its text until its names are known."""

    __slots__ = ("names", "path", "takes_all", "text")

    def __init__(self, path: str, takes_all: bool, text: bytes) -> None:
        self.path = path
        self.takes_all = takes_all
        self.text = text
        self.names: bytes | None = None


class ModuleCache:
    """Modules of a process: every file lowered to IR once, for all parts, until `forget` is called.

    `texts` are those that were read already; `given` those of them that do not stand in their files as they are;
    `words` those that rules ask for.
    """

    def __init__(
        self,
        loader: Loader,
        files: Iterable[Linted],
        texts: dict[str, Source],
        given: Mapping[str, Source] | None = None,
        words: Iterable[str] = (),
        compilers: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.loader = loader
        self._outlines: dict[str, bytes] = {}  # by path
        self._words = frozenset(words)
        self._compilers = own_words(name for name, _ in compilers)
        self.held: dict[str, frozenset[str]] = {}  # by path of a lowered file: those of the words that it holds
        self.refused: dict[str, Unreadable] = {}  # by dotted name: what is there, but cannot be read
        self._texts = texts
        self._given = given or {}
        self._linted = {file.dotted: file for file in files}
        self._of_path = {file.path: file for file in self._linted.values()}
        self.surveyed: set[str] = set()  # paths of lowered files that hold a word of what the survey reports
        self.hosting: set[str] = set()  # likewise, of a word by which something is compiled
        self._lowered: dict[str, ir.Module | Unreadable] = {}
        self._searched: dict[str, _Searched | None] = {}  # by dotted name; every part asks again
        self._room = _MOST_SEARCHED
        self._held: dict[tuple[str, str], bool] = {}
        self._followed: dict[str, ir.Module | None] = {}
        self._packed: dict[str, bytes] = {}  # by path: what other parts will ask for again
        self._again: dict[str, tuple[str, bool]] = {}  # by name: those of them that are not linted; package or not

    def lowered(self, file: Linted) -> ir.Module | Unreadable:
        """A linted file."""
        known = self._lowered.get(file.path)
        if known is None and file.path in self._packed:
            known = self._lowered[file.path] = self._unpacked(file.path, file.dotted, file.is_package)
        if known is None:
            source = self._texts.pop(file.path, None) or self._read(file)
            known = source if isinstance(source, Unreadable) else self._lower(source, file)
            self._lowered[file.path] = known
            if isinstance(source, Source) and worth_surveying(source.text):
                self.surveyed.add(file.path)
            if isinstance(source, Source) and worth_hosting(source.text, self._compilers):
                self.hosting.add(file.path)
            if isinstance(source, Source):
                held = frozenset(word for word in self._words if word in source.text)
                if held:
                    self.held[file.path] = held
        return known

    def at_hand(self, path: str) -> ir.Module | None:
        """The module of a linted file that is lowered and still held."""
        known = self._lowered.get(path)
        return known if isinstance(known, ir.Module) else None

    def _unpacked(self, path: str, dotted: str, is_package: bool) -> ir.Module:
        return unpacked(zlib.decompress(self._packed[path]), path, dotted, is_package)

    def _lower(self, source: Source, file: Linted) -> ir.Module | Unreadable:
        return self.loader.lowered_linted(source, file.dotted, file.is_package)

    def _read(self, file: Linted) -> Source | Unreadable:
        return self._given.get(file.path) or self.loader.readings.read(file.path)

    def outline(self, module: ir.Module) -> Outline | None:
        """The units of a linted file that goes by its own name."""
        file = self._linted.get(module.name)
        if file is None or file.path != module.path:
            return None
        known = self._outlines.get(file.path)
        if known is None:
            source = self.read_again(file)
            if source is None:
                return None
            with unnoted():
                known = self._outlines[file.path] = written(outline_of(module, source.text))
        return read(known)

    def outline_at(self, path: str, wanted: Container[str]) -> Outline | None:
        """The units of the linted file of a path as it is now, and those that are `wanted` of what is said for some
        purpose; None where it cannot be read.
        """
        module = self.lowered(self._of_path[path])
        outline = None if isinstance(module, Unreadable) else self.outline(module)
        if outline is None or isinstance(module, Unreadable):
            return outline
        asked = {said_for(purpose): say for purpose, say in _SAID.items() if said_for(purpose) in wanted}
        info = ModuleInfo(module, linted=True)
        return {**outline, **{unit: said(say(info)) for unit, say in asked.items()}} if asked else outline

    def read_again(self, file: Linted) -> Source | None:
        """A linted file as it was read, though it may have been lowered since; None where it cannot be read."""
        source = self._texts.get(file.path) or self._read(file)
        return source if isinstance(source, Source) else None

    def text_of(self, file: Linted) -> str:
        """The text of a linted file, empty where it cannot be read."""
        source = self._texts.get(file.path) or self._read(file)
        return source.text if isinstance(source, Source) else ""

    def go_on_with(self, before: ir.Module, after: ir.Module) -> None:
        """Take the module that was there before an edit in place of the one after it: both say the same by now."""
        if self._lowered.get(after.path) is after:
            self._lowered[after.path] = before

    def forget(self, kept: Container[str], imported: Container[str]) -> None:
        """Drop what can be read and lowered again, but for the files of those paths.

        What is not linted, and linted files that are `imported` by others, by name, will be asked for again: they are
        packed, a tenth of what they were. Of the other linted files nothing stays.
        """
        over = [path for path in self._packed if path in self._of_path and self._of_path[path].dotted not in imported]
        for path in over:
            del self._packed[path]
        if over:  # a linted file may have been found by another name, too
            self._again = {dotted: one for dotted, one in self._again.items() if one[0] in self._packed}
        linted = () if self.loader.keeps_linted else self._lowered.values()
        followed = () if self.loader.kept is not None else self._followed.values()  # else they are kept packed already
        for module in (*[one for one in linted if isinstance(one, ir.Module) and one.name in imported], *followed):
            if module is not None and module.path not in kept and module.path not in self._packed:
                data = packed(module)
                if data is not None:
                    self._packed[module.path] = zlib.compress(data, _LEVEL)
        self._lowered = {path: module for path, module in self._lowered.items() if path in kept}
        self._again |= {
            dotted: (module.path, module.is_package)
            for dotted, module in self._followed.items()
            if module is not None and module.path in self._packed
        }
        self._followed = {
            dotted: module for dotted, module in self._followed.items() if module is None or module.path in kept
        }
        if len(self._held) > _MOST_HELD:
            self._held.clear()

    def load(self, dotted: str) -> ir.Module | None:
        """What a name means to an import: a linted file, else what the loader finds."""
        file = self._linted.get(dotted)
        if file is not None:
            module = self.lowered(file)
            if not isinstance(module, Unreadable) and self.loader.importable(module):
                return module
        if dotted not in self._followed and dotted in self._again:
            path, is_package = self._again[dotted]
            self._followed[dotted] = self._unpacked(path, dotted, is_package)
        if dotted not in self._followed:
            unreadable = len(self.loader.unreadable)
            self._followed[dotted] = self.loader.load(dotted)
            if len(self.loader.unreadable) > unreadable:
                self.refused[dotted] = self.loader.unreadable[-1]
        return self._followed[dotted]

    def searched(self, dotted: str, word: str) -> tuple[str, bool] | None:
        """The file behind a name, and whether it may bind a word (as `View.may_bind`); None if it has no text."""
        if dotted not in self._searched:
            self._searched[dotted] = self._searchable(dotted)
        searched = self._searched[dotted]
        if searched is None:
            return None
        held = self._held.get((dotted, word))
        if held is None:
            held = self._held[dotted, word] = searched.takes_all or self._binds(searched, dotted, word)
        return searched.path, held

    def _searchable(self, dotted: str) -> _Searched | None:
        source = self._source(dotted)
        if source is None:
            return None
        # As bytes: one odd character in its head makes a text four times as large.
        found = _Searched(source.path, takes_all(source.text), source.text.encode("utf-8", "surrogatepass"))
        self._room -= len(found.text)
        if self._room < 0:  # one name may be asked of every module of a large package
            self._room += len(found.text)
            found.text = b""
        return found

    def _source(self, dotted: str) -> Source | None:
        file = self._linted.get(dotted)
        source = self.loader.text(dotted) if file is None else self._texts.get(file.path) or self._read(file)
        return source if isinstance(source, Source) else None

    def _binds(self, searched: _Searched, dotted: str, word: str) -> bool:
        """Whether a module that takes all names of no other may have a name: it is lowered for that once at most, and
        let go of where no part holds it. Most texts do not even hold the word.
        """
        name = word.encode("utf-8", "surrogatepass")
        if searched.text and name not in searched.text:
            return False
        if searched.names is None:
            searched.names = self._names(dotted)
            self._room += len(searched.text)
            searched.text = b""
        return not searched.names or b"\n" + name + b"\n" in searched.names

    def _names(self, dotted: str) -> bytes:
        """The names that a module binds at its top level, a line each, with lines around; nothing if it is unknown."""
        file = self._linted.get(dotted)
        module = self._lowered.get(file.path) if file is not None else self._followed.get(dotted)
        source = self._source(dotted) if module is None else None
        if source is not None and source.path in self._packed:
            module = self._unpacked(source.path, dotted, is_package=False)  # no matter for its names
        elif source is not None:
            module = self.loader.lowered(source, dotted, False) if file is None else self._lower(source, file)
        if not isinstance(module, ir.Module):
            return b""
        return "\n".join(["", *names_of(module), ""]).encode("utf-8", "surrogatepass")

    @property
    def searched_paths(self) -> frozenset[str]:
        """The files whose texts were searched for names."""
        return frozenset([found.path for found in self._searched.values() if found is not None])

    def path_of(self, dotted: str) -> str | None:
        """The linted file of that name, readable or not."""
        file = self._linted.get(dotted)
        return None if file is None else file.path


class View:
    """What one part has taken from the module cache; satisfies `index.ModuleSource`."""

    def __init__(self, module_cache: ModuleCache) -> None:
        self._module_cache = module_cache
        self.asked: dict[str, bool] = {}  # names that were looked up, found or not; whether as a package too
        self.paths: set[str] = set()
        self.lacking: dict[str, set[str]] = {}  # files of which it only counts that they hold none of these words
        self.refused: dict[str, Unreadable] = {}

    def record(self, table: Callable[[], dict[Any, Any]]) -> None:
        """Keep in such a table what is asked from now on."""
        asked, self.asked = self.asked, table()
        self.asked.update(asked)

    def go_on(self, module_cache: ModuleCache) -> None:
        """Take from this cache what is asked from now on."""
        self._module_cache = module_cache

    def load(self, dotted: str) -> ir.Module | None:
        """The IR of a module, None if it is not to be followed, not there or not readable."""
        self.asked.setdefault(dotted, False)
        module = self._module_cache.load(dotted)
        if module is not None:
            self.paths.add(module.path)
        elif dotted in self._module_cache.refused:
            self.refused[dotted] = refused = self._module_cache.refused[dotted]
            self.paths.add(refused.path)  # once it is fixed, the answer is another
        elif (path := self._module_cache.path_of(dotted)) is not None:
            self.paths.add(path)
        return module

    def may_bind(self, dotted: str, name: str) -> bool:
        """Whether a module that was not loaded may have a name: it binds it, or takes all names of another."""
        self.asked.setdefault(dotted, False)
        path, held = self._module_cache.searched(dotted, name) or ("", True)
        if not held:
            self.lacking.setdefault(path, set()).add(name)
        return held

    def is_package(self, dotted: str) -> bool:
        """Whether a name can have submodules."""
        self.asked[dotted] = True
        return self._module_cache.loader.is_package(dotted)

    def is_there(self, dotted: str) -> bool:
        """Whether a name would be found, followed or not."""
        self.asked[dotted] = True
        return self._module_cache.path_of(dotted) is not None or self._module_cache.loader.is_there(dotted)

    def is_in_project(self, dotted: str) -> bool:
        """Whether a name would be loaded from the project."""
        self.asked.setdefault(dotted, False)
        return self._module_cache.path_of(dotted) is not None or self._module_cache.loader.is_in_project(dotted)

    def is_compiled(self, dotted: str) -> bool:
        """Whether a name lies in a compiled module that this part looked up; what others did does not count."""
        parts = dotted.split(".")
        modules = [".".join(parts[:i]) for i in range(1, len(parts))]
        return any(name in self.asked and self._module_cache.loader.compiled(name) for name in modules)
