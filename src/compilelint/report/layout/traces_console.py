"""A run's log for a terminal: what it came to, then its causes, most expensive first, each with what to write."""

from __future__ import annotations

from compilelint.report.layout.page import Page
from compilelint.report.layout.styled import Text
from compilelint.report.layout.text import counted, escaped
from compilelint.report.layout.traces import (
    change_words,
    costs,
    divergence_words,
    facts,
    headline,
    place_words,
    remedies,
    sources,
)
from compilelint.trace.cause import Kind
from compilelint.trace.entry import Entry, TraceReport
from compilelint.trace.words import message_of

_STYLE = {
    Kind.BREAK: "bold red", Kind.ERROR: "bold red", Kind.LIMIT: "bold red",
    Kind.RECOMPILE: "bold yellow", Kind.CUDA_GRAPH: "bold yellow", Kind.CACHE: "bold",
}  # fmt: skip
_MOST_UNSEEN = 20


def trace_full(report: TraceReport, *, color: bool, width: int | None, most: int = 0) -> str:
    """The whole report; at most `most` causes where that is not 0."""
    page = Page(color, width)
    page.paragraph(Text(""), Text(headline(report), style="bold"))
    for line in sources(report):
        page.paragraph(Text(""), Text(escaped(line), style="dim"))
    for name, text in costs(report.trace):
        page.put(Text.assemble("  ", (f"{escaped(name)}: ", "dim"), escaped(text)))
    page.put(Text(""))
    shown = report.entries[:most] if most else report.entries
    for number, entry in enumerate(shown, 1):
        _entry(page, entry, number)
    if len(shown) < len(report.entries):
        page.put(Text(f"and {counted(len(report.entries) - len(shown), 'cause')} more (--all)\n"))
    _rest(page, report)
    return page.text()


def _entry(page: Page, entry: Entry, number: int) -> None:
    ids = f" {entry.cause.break_id}" if entry.cause.break_id else ""
    head = Text.assemble((f"{number}. {place_words(entry.place)}", "bold"), " ")
    page.paragraph(head, Text(escaped(message_of(entry)) + ids, style=_STYLE[entry.cause.kind]), indent=3)
    if entry.code:
        page.put(Text(f"     | {escaped(entry.code)}"))
    for name, text in facts(entry):
        page.paragraph(Text.assemble("   ", (f"{name}: ", "dim")), escaped(text), indent=5)
    for text, paste in remedies(entry):
        page.paragraph(Text.assemble("   ", ("write: ", "green")), escaped(text), indent=5)
        if paste:
            page.put(Text(f"       {escaped(paste)}", style="green"))
    page.put(Text(""))


def _rest(page: Page, report: TraceReport) -> None:
    for one in report.trace.divergences:
        page.paragraph(Text("ranks: ", style="bold red"), escaped(divergence_words(one)), indent=2)
    if report.changes is not None:
        page.put(Text("Since the older run" if report.changes else "Nothing changed since the older run", style="bold"))
        for change in report.changes:
            page.paragraph(Text("  "), escaped(change_words(change)), indent=4)
    if report.linted:
        number = len(report.unseen)
        page.put(Text(f"{counted(number, 'finding')} of the lint not seen in this run", style="bold"))
        for finding in report.unseen[:_MOST_UNSEEN]:
            place = page.place(finding.location, column=False)
            page.put(Text.assemble("  ", place, f" {finding.rule.code} {escaped(finding.message)}"))
        if number > _MOST_UNSEEN:
            page.put(Text(f"  and {number - _MOST_UNSEEN} more"))
