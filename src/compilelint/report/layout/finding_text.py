"""A finding for a terminal, in the manner of rustc: title, code frame, and under it what is said of it by heading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from compilelint.model import HERE_TOO, Confidence, Finding, Fix, Location
from compilelint.model.site import break_page
from compilelint.report.layout.cost import Cost
from compilelint.report.layout.frames import Frame, Piece, fitted, frames, underlined
from compilelint.report.layout.grouping import Group, ranged
from compilelint.report.layout.label import STYLES, label
from compilelint.report.layout.page import Page
from compilelint.report.layout.patches import changed_lines
from compilelint.report.layout.quoted import Lines
from compilelint.report.layout.styled import Text
from compilelint.report.layout.text import counted, display, escaped, shown_path
from compilelint.report.report import Report

_DIM = "blue"
_MOST_ROOTS = 3
_MOST_OTHERS = 4
_MOST_CALLS = 4
# Cells of a line are looked at one by one: what no reader reads is shown in short.
_LONGEST_LINE = 2_000

LineOf = Callable[[Location, int], str]


def quoting(report: Report) -> LineOf:
    """The lines of the report's files by place and number; of a line too long to read, nothing."""
    lines = Lines(report)

    def line_of(location: Location, number: int) -> str:
        text = lines(location, number)
        return text if len(text) <= _LONGEST_LINE else ""

    return line_of


def title(page: Page, group: Group) -> tuple[Text, Text]:
    """`error[CL101]`, linked to the rule's page, and what was found."""
    finding = group.first
    times = f" ({len(group.others) + 1}x in this function)" if group.others else ""
    head = page.link(label(finding), finding.rule.address)
    return head, Text(f" {finding.rule.name}: {escaped(finding.message)}{times}", style="bold")


def put_group(page: Page, group: Group, line_of: LineOf, cost: Cost | None = None) -> None:
    """The first finding of a group with its frame, in which the others are marked too, and all that is said of it."""
    finding = group.first
    page.paragraph(*title(page, group), indent=4)
    shown = frames(finding, line_of, _others(group))
    patch = changed_lines(finding.fix, finding.location, line_of) if finding.fix else []
    numbers = [row.number for frame in shown for row in frame.rows] + [line.number for line in patch]
    gutter = max(len(str(number)) for number in numbers)
    for frame in shown:
        _frame(page, frame, finding, gutter, first=frame is shown[0])
    bar = Text(" " * (gutter + 1) + "= ", style=_DIM)
    for word, body in _remarks(group, cost):
        head = Text.assemble(bar, Text(f"{word}: ", style="bold"))
        for number, paragraph in enumerate(body.splitlines()):
            page.paragraph(head if number == 0 else Text(" " * head.cell_len), escaped(paragraph))
        if word == "fix":
            before = ""
            for line in patch:
                if line.path != before:
                    page.put(Text.assemble(Text(" " * gutter + " in ", style=_DIM), escaped(shown_path(line.path))))
                    before = line.path
                sign, style = ("-", "red") if line.removed else ("+", "green")
                page.put(Text(f"{line.number:>{gutter}} {sign} {''.join(display(line.text))}".rstrip(), style=style))
    page.paragraph(Text.assemble(bar, Text("docs: ", style="bold")), _docs(page, group))


def _others(group: Group) -> Iterator[tuple[Location, str]]:
    """The other places of a group that are shown, with what is said there if it is something else."""
    for other in group.others[:_MOST_OTHERS]:
        yield other.location, HERE_TOO if other.message == group.first.message else other.message


def _frame(page: Page, frame: Frame, finding: Finding, gutter: int, first: bool) -> None:
    arrow = "--> " if first else "::: "
    page.put(Text.assemble(Text(" " * gutter + arrow, style=_DIM), page.place(frame.location)))
    if not any(str(row.text).strip() for row in frame.rows):
        return  # a folder, or a file that cannot be read: there is nothing to show
    empty = Text(" " * gutter + " |", style=_DIM)
    room = None if page.width is None else page.width - gutter - 3
    page.put(empty)
    for row in fitted(frame.rows, room):
        if not row.number:
            page.put(Text("...", style=_DIM))
            continue
        page.put(Text.assemble(Text(f"{row.number:>{gutter}} | ", style=_DIM), row.text.rstrip()))
        for pieces in underlined(row.marks, room):
            page.put(_under(empty, pieces, finding))
    page.put(empty)


def _under(gutter: Text, pieces: Sequence[Piece], finding: Finding) -> Text:
    line = Text.assemble(gutter, " ")
    start = line.cell_len
    for piece in pieces:
        line.append(" " * (start + piece.start - line.cell_len))
        line.append(piece.text, style=STYLES[finding.severity] if piece.primary else _DIM)
    return line


def _remarks(group: Group, cost: Cost | None) -> Iterator[tuple[str, str]]:
    """The lines under the frame: a word and what is said."""
    finding = group.first
    left = group.others[_MOST_OTHERS:]
    if left:
        yield "also", "line " + ", ".join(str(other.location.span.line) for other in left)
    if finding.why:
        yield "why", finding.why
    if cost is not None:
        yield "cost", cost.words
    if finding.help:
        yield "help", finding.help
    if finding.fix is not None:
        yield "fix", _fix(finding.fix)
    if finding.verdict is not None:
        yield "seen", f"{finding.verdict.outcome.value}: {finding.verdict.detail}"
    if finding.confidence is not Confidence.CERTAIN:
        yield "confidence", finding.confidence.explained
    if finding.torch_versions:
        yield "torch", ", ".join(finding.torch_versions)
    if finding.roots:
        yield "reached", _reached(finding)


def _docs(page: Page, group: Group) -> Text:
    """Where to read on: the rule's page by the command that prints it, and the ids of torch's own registry."""
    rule = group.first.rule
    shown = page.link(Text(f"compilelint rule {rule.code}"), rule.address)
    for one in dict.fromkeys(i for finding in (group.first, *group.others) for i in finding.break_ids):
        shown = Text.assemble(shown, ", ", page.link(Text(escaped(one)), break_page(one)))
    return shown


def _fix(fix: Fix) -> str:
    return f"{fix.title} ({fix.safety.value})"


def _reached(finding: Finding) -> str:
    """From which roots, and by which calls; of a long way the ends."""
    roots = ranged(_root(one) for one in finding.roots)
    more = len(roots) - _MOST_ROOTS
    named = ", ".join(roots[:_MOST_ROOTS]) + (f" and {counted(more, 'other')}" if more > 0 else "")
    calls = [f"{shown_path(site.location.path)}:{site.location.span.line}" for site in finding.call_chain]
    if len(calls) > _MOST_CALLS:
        calls = [calls[0], f"... {len(calls) - _MOST_CALLS + 1} calls ...", *calls[1 - _MOST_CALLS + 1 :]]
    return f"from {named}" + (f"; called at {', '.join(calls)}" if calls else "")


def _root(name: str) -> str:
    """A root in words: one that nothing compiled reaches is a guess, and says so."""
    known, _, guess = name.partition(" (unreached)")
    return known if known == name else f"{known}{guess}, if it is compiled"
