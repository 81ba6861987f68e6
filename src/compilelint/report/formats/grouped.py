"""What each compile root costs, then the findings by rule, the worst first; the first screen where that is too long.

The first finding of a rule is shown in full, with why, help and docs once; further ones take a line each. Where many
rules have findings the page is kept short: those of the least severe rules take a line each from the first on.
Everything is in the format `full`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from compilelint.model import Finding
from compilelint.report.layout.cost import Cost, costs
from compilelint.report.layout.finding_text import LineOf, put_group, quoting
from compilelint.report.layout.folding import GUESS, fold_lines, folded
from compilelint.report.layout.grouping import Group, grouped, weight
from compilelint.report.layout.label import STYLES, label
from compilelint.report.layout.page import Page
from compilelint.report.layout.styled import Text
from compilelint.report.layout.summary import put_counts, put_readiness
from compilelint.report.layout.text import counted, escaped
from compilelint.report.overview.screen import fits, screen_of
from compilelint.report.report import Report

_MOST_LINES = 112
"""Lines after which a further rule is not shown in full."""
_MOST_SHORT = 40
"""Findings that take a line each, of all rules together; of the others the counts are given."""
_MOST_ROOTS = 5


def render(report: Report, *, color: bool, width: int | None, summary: bool, links: bool = False) -> str:
    """Findings with their code where they fit on a screen or are asked for; else the first screen that all share."""
    page = _findings(report, color=color, width=width, summary=summary, links=links)
    whole = fits(page) and not folded(report)[1] and not _beside_models(report)
    if not summary or report.unfolded or whole:
        return page
    return screen_of(report, color=color, width=width, links=links, more="compilelint check --all")


def _beside_models(report: Report) -> bool:
    """Whether all findings are of functions that nothing is known to compile, beside models that are clean."""
    named = [name for one in report.findings for name in one.roots]
    return bool(named) and all(name.endswith(GUESS) for name in named) and any(root.known for root in report.roots)


def _findings(report: Report, *, color: bool, width: int | None, summary: bool, links: bool) -> str:
    """A page of about a hundred lines, whatever was found."""
    head, foot = Page(color, width, links), Page(color, width, links)
    if summary:
        put_readiness(head, report, _MOST_ROOTS)
        put_counts(foot, report, STYLES)
    findings, folds = folded(report)
    priced = {id(one): cost for one, cost in zip(report.findings, costs(report), strict=True)}
    rules = _by_rule(findings)
    short = sum(len(groups) for groups in rules)
    left = _MOST_LINES - _height(head) - _height(foot) - min(short, _MOST_SHORT) - 3
    full, rest = _in_full(rules, quoting(report), priced, left, lambda: Page(color, width, links))
    body = Page(color, width, links)
    room = _MOST_SHORT
    for page, groups in full:
        body.add(page)
        room -= _put_short(body, groups[1:], room, indent=2)
        body.put(Text())
    if rest:
        shown = [group for groups in rest for group in groups]
        body.put(Text("More findings:" if full else "Findings:", style="bold"))
        _put_short(body, shown, room, indent=2)
        body.put(Text())
    if folds:
        body.put(Text("Counted only (`--all` shows them):", style="bold"))
        for line in fold_lines(folds):
            body.paragraph(Text("  "), line, indent=2)
        body.put(Text())
    return head.text() + body.text() + foot.text()


def _by_rule(findings: Sequence[Finding]) -> list[list[Group]]:
    """The groups of each rule, worst first, and the rules by their worst."""
    rules: dict[str, list[Group]] = {}
    for group in grouped(findings):
        rules.setdefault(group.first.rule.code, []).append(group)
    for groups in rules.values():
        groups.sort(key=lambda group: weight(group.first))
    return sorted(rules.values(), key=lambda groups: (weight(groups[0].first), -len(groups)))


def _height(page: Page) -> int:
    return page.text().count("\n")


def _in_full(
    rules: Sequence[Sequence[Group]],
    line_of: LineOf,
    priced: Mapping[int, Cost | None],
    room: int,
    new_page: Callable[[], Page],
) -> tuple[list[tuple[Page, Sequence[Group]]], list[Sequence[Group]]]:
    """The rules whose first finding is shown in full, each with its page, and the rules for which no room is left.

    The worst rule is always among the first.
    """
    full: list[tuple[Page, Sequence[Group]]] = []
    for number, groups in enumerate(rules):
        page = new_page()
        put_group(page, groups[0], line_of, priced.get(id(groups[0].first)))
        room -= _height(page)
        if room < 0 and full:
            return full, list(rules[number:])
        full.append((page, groups))
    return full, []


def _put_short(page: Page, groups: Sequence[Group], room: int, indent: int) -> int:
    """A line for each group while there is room, then one line for all others. Returns the lines that were used."""
    shown = groups if len(groups) <= max(room, 0) else groups[: max(room - 1, 0)]
    for group in shown:
        _put_line(page, group, indent)
    others = groups[len(shown) :]
    if not others:
        return len(shown)
    findings = sum(1 + len(group.others) for group in others)
    rules = list(dict.fromkeys(group.first.rule.code for group in others))
    named = ", ".join(rules[:8]) + (f" and {counted(len(rules) - 8, 'other rule')}" if len(rules) > 8 else "")
    more = "more" if shown else "further"
    page.paragraph(Text(" " * indent), f"{findings} {more} of {named}: `--output full` shows all", indent=indent)
    return len(shown) + 1


def _put_line(page: Page, group: Group, indent: int) -> None:
    """`error[CL101] model.py:3:8 if needs ...`, cut to the width."""
    one = group.first
    times = f" ({len(group.others) + 1}x in this function)" if group.others else ""
    head = page.link(label(one), one.rule.address)
    line = Text.assemble(" " * indent, head, " ", page.place(one.location), f" {escaped(one.message)}{times}")
    page.put(line, cut=True)
