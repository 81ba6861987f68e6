"""Reports for people: `full` in the manner of rustc, `concise` a line a finding, and the counts of `--statistics`.

All text from outside goes through rich's `Text`, which reads no markup, and through `report.text`, which escapes what
could move the cursor. Without a width nothing is wrapped, so that files and pipes get whole lines.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from compilelint.model import Confidence, Finding, Severity
from compilelint.program.source import Source, read_source
from compilelint.report import Report
from compilelint.report.frames import Frame, Mark, frames
from compilelint.report.text import escaped, shown_path

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
_DIM = "blue"
_NARROWEST = 40
_MOST_ROOTS = 3


class Lines:
    """Lines of source files by number, each file read once; empty where a file cannot be read any more."""

    def __init__(self) -> None:
        self._files: dict[str, Source | None] = {}

    def __call__(self, path: str, number: int) -> str:
        if path not in self._files:
            source = read_source(path)
            self._files[path] = source if isinstance(source, Source) else None
        found = self._files[path]
        return "" if found is None else found.line(number)


def full(
    report: Report,
    *,
    color: bool,
    width: int | None,
    summary: bool,
    line_of: Callable[[str, int], str] | None = None,
) -> str:
    """Every finding with its code frame, why, help and where to read on."""
    page = _Page(color, width)
    line_of = line_of or Lines()
    for finding in report.findings:
        _finding(page, finding, line_of)
        page.put(Text())
    if summary:
        _summary(page, report)
    return page.text()


def concise(report: Report, *, color: bool, width: int | None, summary: bool) -> str:
    """`path:line:column: severity[CODE] title`, a line a finding, whatever the width; the summary alone is wrapped."""
    page = _Page(color, width)
    for finding in report.findings:
        span = finding.location.span
        place = Text(f"{shown_path(finding.location.path)}:{span.line}:{span.column}: ")
        page.put(Text.assemble(place, _label(finding), f" {escaped(finding.message)}"))
    if summary:
        _summary(page, report)
    return page.text()


def statistics(report: Report) -> str:
    """Findings counted by rule, the most frequent first, with how many are errors, warnings and notes."""
    rules = {finding.rule.code: finding.rule for finding in report.findings}
    counts = Counter(finding.rule.code for finding in report.findings)
    rows = []
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        parts = Counter(finding.severity for finding in report.findings if finding.rule.code == code)
        told = ", ".join(_count(parts[severity], severity.label) for severity in _worst_first() if parts[severity])
        rows.append(f"{count:>6}  {code}  {rules[code].name}  ({told})")
    return "\n".join(rows or ["no findings"])


def markdown(text: str, width: int) -> str:
    """A rule's page for a terminal that has colours."""
    page = _Page(True, width)
    page.console.print(Markdown(text))
    return page.text()


# ----------------------------------------------------------------------- page


class _Page:
    """A rich console that writes into memory."""

    def __init__(self, color: bool, width: int | None) -> None:
        self.width = None if width is None else max(width, _NARROWEST)
        self._out = io.StringIO()
        self.console = Console(
            file=self._out,
            force_terminal=color,
            no_color=not color,
            color_system="standard" if color else None,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
            width=self.width or 80,
        )

    def put(self, text: Text) -> None:
        """One line, as long as it is: source lines are cut by nobody."""
        self.console.print(text, soft_wrap=True)

    def paragraph(self, head: Text, body: str) -> None:
        """Words behind a head, wrapped under each other if there is a width."""
        words = Text(body)
        room = None if self.width is None else max(self.width - head.cell_len, _NARROWEST // 2)
        rows = [words] if room is None else words.wrap(self.console, room)
        for number, row in enumerate(rows):
            row.rstrip()
            self.put(Text.assemble(head if number == 0 else " " * head.cell_len, row))

    def text(self) -> str:
        return self._out.getvalue()


# -------------------------------------------------------------------- finding


def _label(finding: Finding) -> Text:
    return Text(f"{finding.severity.label}[{finding.rule.code}]", style=_STYLES[finding.severity])


def _finding(page: _Page, finding: Finding, line_of: Callable[[str, int], str]) -> None:
    page.put(Text.assemble(_label(finding), Text(f" {finding.rule.name}: {escaped(finding.message)}", style="bold")))
    shown = frames(finding, line_of)
    gutter = max(len(str(row.number)) for frame in shown for row in frame.rows)
    for frame in shown:
        _frame(page, frame, finding, gutter, first=frame is shown[0])
    bar = Text(" " * (gutter + 1) + "= ", style=_DIM)
    for word, body in _remarks(finding):
        head = Text.assemble(bar, Text(f"{word}: ", style="bold"))
        for number, paragraph in enumerate(body.splitlines()):
            page.paragraph(head if number == 0 else Text(" " * head.cell_len), escaped(paragraph))


def _frame(page: _Page, frame: Frame, finding: Finding, gutter: int, first: bool) -> None:
    arrow = "--> " if first else "::: "
    span = frame.location.span
    place = f"{shown_path(frame.location.path)}:{span.line}:{span.column}"
    page.put(Text.assemble(Text(" " * gutter + arrow, style=_DIM), place))
    empty = Text(" " * gutter + " |", style=_DIM)
    page.put(empty)
    for row in frame.rows:
        if not row.number:
            page.put(Text("...", style=_DIM))
            continue
        page.put(Text.assemble(Text(f"{row.number:>{gutter}} | ", style=_DIM), row.text.rstrip()))
        for mark in row.marks:
            page.put(Text.assemble(empty, " " * (mark.start + 1), _underline(mark, finding)))
    page.put(empty)


def _underline(mark: Mark, finding: Finding) -> Text:
    line = ("^" if mark.primary else "-") * mark.width + (f" {mark.note}" if mark.note else "")
    return Text(line, style=_STYLES[finding.severity] if mark.primary else _DIM)


def _remarks(finding: Finding) -> Iterator[tuple[str, str]]:
    """The lines under the frame: a word and what is said."""
    if finding.why:
        yield "why", finding.why
    if finding.help:
        yield "help", finding.help
    if finding.fix is not None:
        yield "fix", f"{finding.fix.title} ({finding.fix.safety.value})"
    if finding.confidence is not Confidence.CERTAIN:
        yield "confidence", finding.confidence.label
    if finding.torch_versions:
        yield "torch", ", ".join(finding.torch_versions)
    if finding.roots:
        more = len(finding.roots) - _MOST_ROOTS
        shown = ", ".join(_root(one) for one in finding.roots[:_MOST_ROOTS])
        told = shown + (f" and {_count(more, 'other')}" if more > 0 else "")
        calls = "".join(f", {_call(site.location.path, site.location.span.line)}" for site in finding.call_chain)
        yield "reached", f"from {told}" + (f"; called at {calls[2:]}" if calls else "")
    ids = "".join(f", {break_id}" for break_id in finding.break_ids)
    yield "docs", f"compilelint rule {finding.rule.code}{ids}"


def _root(name: str) -> str:
    """A root in words: one that nothing compiled reaches is a guess, and says so."""
    known, _, guess = name.partition(" (unreached)")
    return known if known == name else f"{known}{guess}, if it is compiled"


def _call(path: str, line: int) -> str:
    return f"{shown_path(path)}:{line}"


# -------------------------------------------------------------------- summary


def _summary(page: _Page, report: Report) -> None:
    """The last line: how many, where, for which torch, and what to do next."""
    target = f"torch {escaped(report.torch.version)} ({escaped(report.torch.source)})"
    checked = _count(report.files_checked, "file")
    hidden = f" {_count(report.hidden, 'finding')} less sure: --min-confidence possible." if report.hidden else ""
    silenced = f" {report.suppressed} suppressed." if report.suppressed else ""
    if not report.findings:
        body = f"in {checked}: no findings for {target}.{silenced}{hidden}"
        page.paragraph(Text("All clear ", style="bold green"), body)
        return
    counts = report.by_severity()
    told = ", ".join(_count(count, severity.label) for severity, count in counts.items() if count)
    touched = len({finding.location.path for finding in report.findings})
    code = Counter(finding.rule.code for finding in report.findings).most_common(1)[0][0]
    worst = next(severity for severity, count in counts.items() if count)
    body = f"({told}) in {touched} of {checked}, for {target}.{silenced}{hidden}"
    page.paragraph(Text(_count(len(report.findings), "finding") + " ", style=_STYLES[worst]), body)
    page.paragraph(
        Text("Next: "), f"`compilelint rule {code}` explains the most frequent rule and what to write instead."
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _worst_first() -> list[Severity]:
    return sorted(Severity, reverse=True)
