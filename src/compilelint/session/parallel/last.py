"""What the parts of the last run came to, for a run over the same program: only comments, docstrings, blanks changed.

What is said of regions depends on the IR of files alone, and on the words by which a file is chosen for a look. So
where the IR of every linted file is the very one, nothing is followed again. Guarantee: the outcome is the one that the
parts would come to. Does not belong here: what depends on the text of a line (suppressions, quoted lines), made again
each time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from compilelint.interp.clock import never
from compilelint.rulebook import Rulebook
from compilelint.session.parallel.outcome import Outcome
from compilelint.session.parallel.part import ModuleCache, Request
from compilelint.session.pipeline.inputs import Linted
from compilelint.syntax import ir
from compilelint.syntax.source import stands_in
from compilelint.syntax.unreadable import Unreadable


class _Program(NamedTuple):
    """What an outcome depends on, but for what lies on the disk."""

    request: Request  # but for the facts, which every run loads for itself
    versions: tuple[str, ...]
    files: tuple[Linted, ...]
    modules: tuple[ir.Module | Unreadable, ...]
    words: tuple[tuple[bool, bool, frozenset[str]], ...]

    def is_of(self, other: _Program) -> bool:
        """Whether both are one program: the very IR."""
        if (
            self.request != other.request
            or self.versions != other.versions
            or self.files != other.files
            or self.words != other.words
        ):
            return False
        return all(mine is its for mine, its in zip(self.modules, other.modules, strict=True))


class LastOutcomes:
    """The outcomes of one request, while what it finds on the disk stays as it is."""

    def __init__(self) -> None:
        self._program: _Program | None = None
        self._digests: Mapping[str, str] = {}
        self._imported: Mapping[str, str | None] = {}  # files that are not linted: hashes of texts that stood in
        self._by_text: frozenset[str] = frozenset()
        self._found: tuple[list[Outcome], Collection[str]] = [], ()

    def of(
        self, request: Request, files: Sequence[Linted], modules: ModuleCache, digests: Mapping[str, str]
    ) -> tuple[list[Outcome], Collection[str]] | None:
        """What the same program came to, the hashes of its texts as they are now; None where it is another.

        `digests` are the hashes of the linted files.
        """
        if self._program is None or not self._program.is_of(_program(request, files, modules)):
            return None
        if _standing(self._imported) != self._imported:
            return None
        changed = {path for path, digest in digests.items() if self._digests.get(path) != digest}
        if changed & self._by_text:
            return None
        outcomes, reached = self._found
        found = [
            one._replace(digests={path: digests.get(path, digest) for path, digest in one.digests.items()})
            for one in outcomes
        ]
        return found, reached

    def keep(
        self,
        request: Request,
        files: Sequence[Linted],
        modules: ModuleCache,
        digests: Mapping[str, str],
        book: Rulebook,
        found: tuple[list[Outcome], Collection[str]],
    ) -> None:
        """Remember what a program came to; nothing where several parts or a lack of time had a say."""
        outcomes, reached = found
        self._program = None
        if not request.alone or any(one.torn or one.given_up for one in outcomes):
            return
        self._program = _program(request, files, modules)
        self._digests = dict(digests)
        linted = {file.path for file in files}
        read = {path for one in outcomes for path in (*one.digests, *one.lacking)}
        self._imported = _standing(read - linted)
        looked_at = {
            file.path
            for file in files
            if any(rule.wants(modules.held.get(file.path, frozenset())) for rule in book.lib)
        }
        self._by_text = frozenset(looked_at | modules.searched_paths)
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
        tuple(
            [(f.path in modules.surveyed, f.path in modules.hosting, modules.held.get(f.path, nothing)) for f in files]
        ),
    )
