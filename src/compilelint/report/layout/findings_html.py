"""Findings as the HTML report shows them: cards, worst first, and what a reader can filter them by.

Bounded whatever is found: 500 cards, the rules and files of all findings counted but 200 of each listed, 100 roots.
Filters know files and roots by number, so that no attribute of the page holds a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from compilelint.model import Finding, Location
from compilelint.model.site import break_page
from compilelint.report.layout.frames import Piece, Row, frames, underlined
from compilelint.report.layout.grouping import Group, grouped, weight
from compilelint.report.layout.patches import changed_lines
from compilelint.report.layout.paths import Places
from compilelint.report.layout.quoted import Lines
from compilelint.report.layout.source_links import SourceOnWeb
from compilelint.report.layout.templating import Shown
from compilelint.report.layout.text import display, escaped, spoken, witnessed
from compilelint.report.report import Report

_MOST_CARDS = 500
_MOST_OTHERS = 20
_MOST_LISTED = 200
_MOST_ROOTS = 100
_MOST_NAMED_ROOTS = 8
_MOST_CHARACTERS = 2000
_OPEN = 10  # findings that are shown unfolded

View = dict[str, Any]


class Findings:
    """The cards of a report and its counts; the link of a place; where on the page a line's finding is."""

    def __init__(self, report: Report, places: Places, line_of: Lines, source: SourceOnWeb | None) -> None:
        self._places, self._line_of, self._source = places, line_of, source
        groups = grouped(sorted(report.findings, key=weight))
        self._groups = groups[:_MOST_CARDS]
        self.total = len(report.findings)
        self.more = sum(1 + len(one.others) for one in groups[_MOST_CARDS:])
        shown = [one for group in self._groups for one in (group.first, *group.others)]
        self.shown = len(shown)
        self.rules = self._rules(report.findings)
        in_files = Counter(one.location.path for one in report.findings)
        self.files = [(self.place_of(path), number) for path, number in in_files.most_common(_MOST_LISTED)]
        self._file_numbers = {path: at for at, (path, _) in enumerate(in_files.most_common(_MOST_LISTED))}
        of_roots = Counter(root for one in shown for root in one.roots).most_common(_MOST_ROOTS)
        self.roots = [(name, number) for name, number in of_roots]
        self._root_numbers = {name: at for at, (name, _) in enumerate(of_roots)}
        self._anchors: dict[tuple[str, int], int] = {}
        for at, group in enumerate(self._groups):
            for one in (group.first, *group.others):
                self._anchors.setdefault((one.location.path, one.location.span.line), at)

    def cards(self) -> Iterator[View]:
        """A view for each card, made as the template asks for it."""
        for number, group in enumerate(self._groups):
            yield self._card(number, group)

    def anchor(self, path: str, line: int) -> int | None:
        """The number of the card that shows a finding on a line."""
        return self._anchors.get((path, line))

    def root(self, name: str) -> int | None:
        """The number that filters know a root by."""
        return self._root_numbers.get(name)

    def place_of(self, path: str) -> Shown:
        """A path as it is shown: from the repository."""
        return Shown(escaped(self._places.relative(path)))

    def place(self, location: Location) -> tuple[Shown, str]:
        """A place as it is shown, and its address on the web, if it has one."""
        shown = Shown(escaped(self._places.relative(location.path) + spoken(location)))
        address = self._source.line(location, self._places) if self._source else ""
        return shown, address if len(address) < _MOST_CHARACTERS else ""

    def _rules(self, findings: Sequence[Finding]) -> list[View]:
        """The rules with findings, those with most first."""
        numbers = Counter(one.rule.code for one in findings)
        by_code = {one.rule.code: one.rule for one in findings}
        return [
            {"rule": by_code[code], "number": number, "link": by_code[code].address}
            for code, number in numbers.most_common()
        ]

    def _card(self, number: int, group: Group) -> View:
        one = group.first
        fix = one.fix
        roots = [self._root_numbers[name] for name in one.roots if name in self._root_numbers]
        return {
            "number": number,
            "count": 1 + len(group.others),
            "open": number < _OPEN,
            "finding": one,
            "link": one.rule.address,
            "severity": one.severity.label,
            "place": self.place(one.location),
            "others": [self.place(other.location) for other in group.others[:_MOST_OTHERS]],
            "more": max(len(group.others) - _MOST_OTHERS, 0),
            "file": self._file_numbers.get(one.location.path, -1),
            "roots": " ".join(map(str, roots)),
            "frames": [_rows(frame.rows) for frame in frames(one, self._line_of)],
            "seen": witnessed(one),
            "calls": [f"{call.function} ({self.place(call.location)[0]})" for call in one.call_chain],
            "from": one.roots[:_MOST_NAMED_ROOTS],
            "further": max(len(one.roots) - _MOST_NAMED_ROOTS, 0),
            "breaks": [(name, break_page(name)) for name in one.break_ids],
            "diff": [] if fix is None else self._diff(one),
        }

    def _diff(self, one: Finding) -> list[tuple[str, Shown]]:
        """Lines of a fix: how each is marked, and its text."""
        assert one.fix is not None
        lines: list[tuple[str, Shown]] = []
        before = ""
        for line in changed_lines(one.fix, one.location, self._line_of):
            if line.path != before:
                lines.append(("file", Shown(escaped(self.place_of(line.path)))))
                before = line.path
            lines.append(("del" if line.removed else "ins", Shown("".join(display(line.text)))))
        return lines


def _rows(rows: Sequence[Row]) -> list[tuple[str, Shown, list[list[tuple[str, Shown]]]]]:
    """Number, text and the rows of marks beneath; no number is a gap."""
    return [
        (f"{row.number:>5}" if row.number else "", Shown(row.text), [_marks(one) for one in underlined(row.marks)])
        for row in rows
    ]


def _marks(pieces: Sequence[Piece]) -> list[tuple[str, Shown]]:
    """A row under a line of source: what each stretch is, blanks included; nothing where it lies too far out."""
    at, shown = 0, []
    for piece in sorted(pieces, key=lambda one: one.start):
        if piece.start > at:
            shown.append(("", Shown(" " * (piece.start - at))))
        shown.append(("here" if piece.primary else "there", Shown(escaped(piece.text))))
        at = piece.start + len(piece.text)
    return shown if at <= _MOST_CHARACTERS else []
