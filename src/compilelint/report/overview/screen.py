"""The first screen that `check`, `report` and `roots` share: forty lines at most, for any repository. Editors show its
blocks as a tree.

Three blocks: what is compiled and how far it gets; the first five things to do, by what they are expected to gain; what
was not seen. Everything else is one option away, and programs are given all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from compilelint.model import Location, Severity
from compilelint.model.slotted import dataclass
from compilelint.report.layout.folding import fold_lines, folded
from compilelint.report.layout.judged import judged_words
from compilelint.report.layout.label import STYLES
from compilelint.report.layout.page import Page
from compilelint.report.layout.styled import Text
from compilelint.report.layout.summary import next_step
from compilelint.report.layout.text import counted, escaped, shown_path, shown_place
from compilelint.report.overview.choice import choice
from compilelint.report.overview.document import left_out, summary
from compilelint.report.overview.measured import Measured
from compilelint.report.overview.overview import Overview, overview
from compilelint.report.overview.roots import Compiled
from compilelint.report.overview.work import GUESSED, Task, gain
from compilelint.report.report import Report

MOST_LINES = 40
_MOST_TASKS = 5
_MOST_FUNCTIONS = 4
_MOST_FOLDS = 3


def fits(text: str) -> bool:
    """Whether a page is no longer than the first screen may be."""
    return text.count("\n") <= MOST_LINES


def screen_of(report: Report, *, color: bool, width: int | None, links: bool, more: str) -> str:
    """The first screen of a lint; `more` is the command that shows everything."""
    one = overview(report, None, report.min_confidence, Measured())
    return screen(one, color=color, width=width, links=links, more=more)


def screen(one: Overview, *, color: bool, width: int | None, links: bool, more: str) -> str:
    """The three blocks, the middle one as long as the others leave it room."""

    def page() -> Page:
        return Page(color, width, links)

    first, last = page(), page()
    _put_compiled(first, one)
    _put_unseen(last, one, more)
    work = page()
    _put_work(work, one, MOST_LINES - _height(first) - _height(last), page)
    return first.text() + work.text() + last.text()


def _height(page: Page) -> int:
    return page.text().count("\n")


# ------------------------------------------------------------------ compiled


def _put_compiled(page: Page, one: Overview) -> None:
    target = f"{counted(one.report.files_checked, 'file')}, torch {escaped(one.report.torch.version)}"
    page.put(Text.assemble(Text("What is compiled", style="bold"), f" ({target})"))
    for line in summary(one, shown_path):
        page.paragraph(Text("  "), line, indent=2)
    rows = [row for row in _functions(one) if row.breaks or row.recompiles or row.failures]
    for row in rows[:_MOST_FUNCTIONS]:
        _put_cut(page, Text.assemble("    ", Text(escaped(row.name), style="bold"), f": {_far(row)}"))
    if len(rows) > _MOST_FUNCTIONS:
        page.put(Text(f"    and {len(rows) - _MOST_FUNCTIONS:,} more that need work"))


def _functions(one: Overview) -> list[Compiled]:
    """What is compiled, else the models, those with most breaks first."""
    found = one.of_kind("explicit") or one.of_kind("forward", "autograd", "glob")
    found = tuple(row for row in found if not row.aside) or found
    return sorted(found, key=lambda row: (not row.failures, -len(row.breaks), -len(row.recompiles), row.name))


def _far(row: Compiled) -> str:
    """`2 to 3 graphs, 2 breaks; 1 recompile; CUDA graphs asked for, not of the whole`."""
    parts = [f"compiling raises at {counted(len(row.failures), 'place')}"] if row.failures else []
    if row.breaks and not row.failures:
        parts.append(f"{row.graphs.words}, {counted(len(row.breaks), 'break')}")
    if row.recompiles:
        parts.append(counted(len(row.recompiles), "recompile"))
    if row.asks_for_cuda_graphs:
        whole = row.state == "graphable"
        parts.append(f"CUDA graphs asked for{', of the whole' if whole else ', not of the whole'}")
    return "; ".join([*parts, f"compiled at {shown_place(row.calls[0][0])}"] if row.calls else parts)


# ---------------------------------------------------------------------- work


def _put_work(page: Page, one: Overview, room: int, new_page: Callable[[], Page]) -> None:
    """The first five things to do, as many as there is room for."""
    found = choice(one)
    shown, counts = found.tasks, found.counts
    if not shown:
        if counts:
            page.put(Text(f"  Counted only: {', '.join(counts)}."))
        return
    title = "If more than now is compiled" if shown[0].tier >= GUESSED else "What to do first"
    body = [new_page()]
    body[0].put(Text())
    body[0].put(Text(title, style="bold"))
    left = room - _height(body[0]) - 1  # a line for what is counted
    used = 0
    for number, task in enumerate(shown[:_MOST_TASKS], 1):
        part = new_page()
        _put_task(part, number, task)
        left -= _height(part)
        if left < 0 and used:
            break
        body.append(part)
        used += 1
    for part in body:
        page.add(part)
    counts = [*([f"{len(shown) - used:,} more"] if len(shown) > used else []), *counts]
    if counts:
        page.put(Text(f"  and {', '.join(counts)}"))


_MARKS: Mapping[Severity, str] = {severity: STYLES[severity] for severity in Severity}


def _put_task(page: Page, number: int, task: Task) -> None:
    """Four lines: where and what, what it costs and whom, what to write, what that is expected to gain."""
    finding = task.finding
    code = page.link(Text(finding.rule.code, style=_MARKS[finding.severity]), finding.rule.address)
    _put_cut(
        page, Text.assemble(f"{number:>3}. ", page.place(finding.location), " ", code, f" {escaped(finding.message)}")
    )
    many = f"; {len(task.others):,} like it" if task.others else ""
    who = f"in {escaped(task.roots[0])}" if task.roots else ""
    if len(task.roots) > 1:
        who += f" and {len(task.roots) - 1:,} more"
    _put_cut(page, Text(f"     {'; '.join(filter(None, (task.reason, who)))}{many}"))
    if finding.help:
        page.paragraph(Text("     do: "), escaped(finding.help), indent=9)
    _put_cut(page, Text(f"     expected: {gain(task)}"))


def _put_cut(page: Page, line: Text) -> None:
    """One line, cut to the width."""
    page.put(line, cut=True)


# -------------------------------------------------------------------- unseen


def _put_unseen(page: Page, one: Overview, more: str) -> None:
    report = one.report
    page.put(Text())
    page.put(Text("What was not seen, and what is not shown", style="bold"))
    for head, body in (*judged_words(report), *left_out(one)):
        page.paragraph(Text(f"  {head}: ", style="bold"), _short(page, body), indent=4)
    folds = folded(report)[1]
    if folds:
        page.paragraph(Text("  Counted: ", style="bold"), f"{'; '.join(fold_lines(folds, _MOST_FOLDS))}.", indent=4)
    for line in _totals(report, more):
        page.paragraph(Text("  "), line, indent=2)


_MOST_WRAPPED = 3


def _short(page: Page, body: str) -> str:
    """Words of three lines at most: lists of places and reasons can be as long as a program makes them."""
    room = None if page.width is None else _MOST_WRAPPED * (page.width - 24)
    return body if room is None or len(body) <= room else f"{body[:room]}…"


def _totals(report: Report, more: str) -> Iterable[str]:
    counts = report.by_severity()
    listed = ", ".join(counted(count, severity.label) for severity, count in counts.items() if count)
    found = f"{counted(len(report.findings), 'finding')}{f' ({listed})' if listed else ''}"
    yield f"{found}: `{more}` shows everything."
    if any(one.fix is not None for one in report.findings):
        yield next_step(report)


# -------------------------------------------------------------------- blocks


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a block: its text, lines below it, and the place that it is about."""

    text: str
    details: tuple[str, ...] = ()
    place: Location | None = None


def blocks(report: Report) -> list[tuple[str, tuple[Row, ...]]]:
    """Titles and rows of the three blocks, for what has room for a tree: every function and task is in it."""
    one = overview(report, None, report.min_confidence, Measured())
    compiled = [Row(line) for line in summary(one, shown_path)]
    compiled += [Row(f"{escaped(row.name)}: {_far(row)}", (), row.location) for row in _functions(one)]
    work = [_row(task) for task in choice(one).tasks]
    unseen = [Row(f"{head}: {body}") for head, body in (*judged_words(report), *left_out(one))]
    titles = ("What is compiled", "What to do first", "What was not seen, and what is not shown")
    return list(zip(titles, map(tuple, (compiled, work, unseen)), strict=True))


def _row(task: Task) -> Row:
    finding = task.finding
    details = [task.reason] if task.reason else []
    details += [f"in {', '.join(map(escaped, task.roots))}"] if task.roots else []
    details += [f"do: {escaped(finding.help)}"] if finding.help else []
    details.append(f"expected: {gain(task)}")
    return Row(f"{finding.rule.code} {escaped(finding.message)}", tuple(details), finding.location)
