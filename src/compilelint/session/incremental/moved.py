"""What a part came to, after an edit of files that it read, where all that it read of these says the same as before.

Guarantee: of each place it is known where it stands now, or LookupError is raised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compilelint.model import Finding, Location, Notice, Rewrite, Span
from compilelint.project.reads import Moves
from compilelint.report.report import CompileRoot
from compilelint.session.parallel.outcome import Outcome
from compilelint.syntax.places import pack, unpack


class Moved:
    """Moves what lies in files of which it is known where their lines stand now, by path."""

    def __init__(self, moves: Mapping[str, Moves]) -> None:
        self._moves = moves

    def place(self, place: str) -> str:
        """The place of a function, as `FunctionInfo.place` has it."""
        path, _, position = place.rpartition(":")
        moves = self._moves.get(path)
        if moves is None:
            return place
        line, column, end_line, end_column = unpack(int(position))
        return f"{path}:{pack(moves.line(line), column, moves.line(end_line), end_column)}"

    def outcome(self, outcome: Outcome, digests: Mapping[str, str]) -> Outcome:
        """An outcome; `digests` are the hashes that the files have now."""
        return outcome._replace(
            findings=[self._finding(one) for one in outcome.findings],
            roots=tuple([self._root(one) for one in outcome.roots]),
            unjudged=tuple([self._root(one) for one in outcome.unjudged]),
            calls=tuple([replace(one, location=self._location(one.location)) for one in outcome.calls]),
            notices=tuple([self._notice(one) for one in outcome.notices]),
            digests={**outcome.digests, **digests},
        )

    def _location(self, location: Location) -> Location:
        moves = self._moves.get(location.path)
        if moves is None:
            return location
        line, column, end_line, end_column = location.span
        return replace(location, span=Span(moves.line(line), column, moves.line(end_line), end_column))

    def _finding(self, one: Finding) -> Finding:
        places = [one.location, *[at.location for at in one.call_chain], *[at.location for at in one.related]]
        if not any(place.path in self._moves for place in places):
            return one
        return replace(
            one,
            location=self._location(one.location),
            call_chain=tuple([replace(step, location=self._location(step.location)) for step in one.call_chain]),
            related=tuple([replace(other, location=self._location(other.location)) for other in one.related]),
            rewrite=None if one.rewrite is None else self._rewrite(one.rewrite, one.location.path),
        )

    def _rewrite(self, rewrite: Rewrite, path: str) -> Rewrite:
        """What is known for a rewrite: lines are those of the file that it is in."""
        moves = self._moves.get(path)
        if moves is None or not any(name in _LINES for name, _ in rewrite.known):
            return rewrite
        known = [(name, moves.line(int(value)) if name in _LINES else value) for name, value in rewrite.known]
        return replace(rewrite, known=tuple(known))

    def _root(self, root: CompileRoot) -> CompileRoot:
        moves, by = self._moves.get(root.location.path), root.compiled_at
        ends = [(path, self._moves[path].line(line) if path in self._moves else line) for path, line in root.ends]
        root = root._replace(compiled_at=None if by is None else self._location(by), ends=tuple(ends))
        if moves is None:
            return root
        captured = None if root.captured is None else tuple([moves.line(line) for line in root.captured])
        return root._replace(location=self._location(root.location), captured=captured)

    def _notice(self, notice: Notice) -> Notice:
        moves = None if notice.path is None else self._moves.get(notice.path)
        return notice if moves is None or not notice.line else replace(notice, line=moves.line(notice.line))


_LINES = frozenset({"line", "end_line"})
