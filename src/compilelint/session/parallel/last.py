"""What the last run came to, for a run over the same program, or over one in which bodies of functions have changed.

What is said of regions depends on the IR of files alone, and on the words by which a file is chosen for a look. So
where the IR of every linted file is the very one (only comments, docstrings, blanks changed), nothing is followed
again; where it differs in bodies of functions alone, their calls are (`Part.edited`). Guarantee: the outcome is the one
that the parts would come to. Does not belong here: what depends on the text of a line (suppressions, quoted lines),
made again each time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from compilelint.interp.core.clock import never
from compilelint.rulebook import Rulebook
from compilelint.session.parallel.module_cache import ModuleCache
from compilelint.session.parallel.outcome import Outcome
from compilelint.session.parallel.part import Part, Request
from compilelint.session.pipeline.inputs import Linted
from compilelint.syntax import ir
from compilelint.syntax.same import Edit, edits, put, put_lines
from compilelint.syntax.source import stands_in
from compilelint.syntax.unreadable import Unreadable

MAX_REPLACED = 500
"""Bodies that were replaced and are held on to; then everything is run again once."""


class _Program(NamedTuple):
    """What an outcome depends on, but for what lies on the disk."""

    request: Request  # but for the facts, which every run loads for itself
    versions: tuple[str, ...]
    files: tuple[Linted, ...]
    modules: tuple[ir.Module | Unreadable, ...]
    bodies: tuple[tuple[ir.Body, ...], ...]  # of the functions of each, since nodes take in new bodies
    words: tuple[tuple[bool, bool, frozenset[str]], ...]

    def is_beside(self, other: _Program) -> bool:
        """Whether both are one program but for the IR of its files."""
        return (
            self.request == other.request
            and self.versions == other.versions
            and self.files == other.files
            and self.words == other.words
        )

    def is_of(self, other: _Program) -> bool:
        """Whether the IR of files of the same program is the very one."""
        return all(mine is its for mine, its in zip(self.modules, other.modules, strict=True)) and all(
            mine is its
            for some, others in zip(self.bodies, other.bodies, strict=True)
            for mine, its in zip(some, others, strict=True)
        )

    def edits(self, other: _Program) -> list[Edit] | None:
        """What was edited on the way to the other program; None where it is more than bodies of functions.

        The nodes have taken in the new bodies then, and are the other program's, too.
        """
        found: list[Edit] = []
        for mine, bodies, its in zip(self.modules, self.bodies, other.modules, strict=True):
            if isinstance(mine, Unreadable) or isinstance(its, Unreadable):
                return None
            if any(one is not kept for one, kept in zip(_bodies(mine), bodies, strict=True)):
                return None  # another project of this process has put something in
            if mine is not its:
                some = edits(mine, its)
                if some is None:
                    return None
                found += some
        return found


class LastOutcomes:
    """The outcomes of one request, while what it finds on the disk stays as it is."""

    def __init__(self, go_on_with: Callable[[ir.Module, ir.Module], None]) -> None:
        """`go_on_with` takes a module and the one after an edit that it is to be kept in place of."""
        self._go_on_with = go_on_with
        self._program: _Program | None = None
        self._digests: Mapping[str, str] = {}
        self._imported: Mapping[str, str | None] = {}  # files that are not linted: hashes of texts that stood in
        self._looked_at: Collection[str] = ()
        self._searched: frozenset[str] = frozenset()
        self._found: tuple[list[Outcome], Collection[str]] = [], ()
        self.edited = False  # the last answer cost no run
        self._part: Part | None = None
        self._replaced: list[ir.Body] = []  # tables go by the identity of nodes, so that none may be let go of

    def of(
        self, request: Request, files: Sequence[Linted], modules: ModuleCache, digests: Mapping[str, str]
    ) -> tuple[list[Outcome], Collection[str]] | None:
        """What the same program came to, the hashes of its texts as they are now; None where it is another.

        `digests` are the hashes of the linted files.
        """
        now = _program(request, files, modules)
        self.edited = False
        if self._program is None or not self._program.is_beside(now) or _standing(self._imported) != self._imported:
            return None
        changed = {path for path, digest in digests.items() if self._digests.get(path) != digest}
        if changed & self._searched:
            return None
        if not self._program.is_of(now):
            after_edit = self._edited(now, modules, digests, request.stopped)
            self.edited = after_edit is not None
            return after_edit
        if not changed.isdisjoint(self._looked_at):
            return None
        self.edited = True
        outcomes, reached = self._found
        found = [
            one._replace(digests={path: digests.get(path, digest) for path, digest in one.digests.items()})
            for one in outcomes
        ]
        return found, reached

    def _edited(
        self, now: _Program, modules: ModuleCache, digests: Mapping[str, str], stopped: Callable[[], bool]
    ) -> tuple[list[Outcome], Collection[str]] | None:
        """What the program comes to after an edit of bodies of functions; None where that is not known."""
        before, part, self._part, self._program = self._program, self._part, None, None
        assert before is not None
        found = None if part is None or len(self._replaced) >= MAX_REPLACED else before.edits(now)
        if part is None or found is None:
            return None
        for edit in found:
            self._replaced.append(edit.before.body)
            put(edit)
        shifted = False
        for mine, its in zip(before.modules, now.modules, strict=True):
            if mine is not its and isinstance(mine, ir.Module) and isinstance(its, ir.Module):
                shifted = shifted or mine.numbers != its.numbers
                put_lines(mine, its)
                modules.go_on_with(mine, its)
                self._go_on_with(mine, its)
        ((outcome,), reached) = self._found
        outcome_now = part.edited(found, modules, shifted, stopped)
        if outcome_now is None:
            return None
        known = outcome._replace(findings=outcome_now.findings, roots=outcome_now.roots, unjudged=outcome_now.unjudged)
        known = known._replace(digests={path: digests.get(path, digest) for path, digest in known.digests.items()})
        self._program = now._replace(modules=before.modules, bodies=_all_bodies(before.modules))
        self._part, self._found, self._digests = part, ([known], reached), dict(digests)
        return self._found

    def keep(
        self,
        request: Request,
        files: Sequence[Linted],
        modules: ModuleCache,
        digests: Mapping[str, str],
        book: Rulebook,
        found: tuple[list[Outcome], Collection[str]],
        part: Part | None = None,
    ) -> None:
        """Remember what a program came to; nothing where several parts or a lack of time had a say."""
        outcomes, reached = found
        self._program, self._part, self._replaced = None, part, []
        if not request.alone or any(one.torn or one.given_up for one in outcomes):
            return
        self._program = _program(request, files, modules)
        self._digests = dict(digests)
        linted = {file.path for file in files}
        read = {path for one in outcomes for path in (*one.digests, *one.lacking)}
        self._imported = _standing(read - linted)
        self._looked_at = {
            file.path
            for file in files
            if any(rule.wants(modules.held.get(file.path, frozenset())) for rule in book.lib)
        }
        self._searched = modules.searched_paths
        self._found = list(outcomes), reached


def _standing(paths: Iterable[str]) -> dict[str, str | None]:
    """The hashes of the texts that stand in for files; None where none does."""
    texts = {path: stands_in(path) for path in paths}
    return {path: None if text is None else text.digest for path, text in texts.items()}


def _program(request: Request, files: Sequence[Linted], modules: ModuleCache) -> _Program:
    lowered = tuple([modules.lowered(file) for file in files])
    nothing: frozenset[str] = frozenset()
    return _Program(
        replace(request, facts=(), stopped=never),
        tuple([facts.version for facts in request.facts]),
        tuple([replace(file, size=0) for file in files]),
        lowered,
        _all_bodies(lowered),
        tuple(
            [(f.path in modules.surveyed, f.path in modules.hosting, modules.held.get(f.path, nothing)) for f in files]
        ),
    )


def _all_bodies(modules: Iterable[ir.Module | Unreadable]) -> tuple[tuple[ir.Body, ...], ...]:
    return tuple([() if isinstance(one, Unreadable) else tuple(_bodies(one)) for one in modules])


def _bodies(module: ir.Module) -> Iterator[ir.Body]:
    """The bodies of the functions and methods of a module, in one order."""
    left: list[ir.Body] = [module.body]
    while left:
        for one in left.pop():
            if isinstance(one, ir.Function):
                yield one.body
            elif isinstance(one, ir.Class):
                left.append(one.body)
