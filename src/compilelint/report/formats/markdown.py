"""The report as Markdown, for `$GITHUB_STEP_SUMMARY`, merge requests and wikis.

Text from linted files appears only inside `<code>`, as entities, so that it is neither Markdown nor HTML, mentions
no user and links nowhere. Links lead to the linted lines at their commit, where a runner or a checkout of a known host
says which that is, and to the pages of the rules.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator

from compilelint.model import Finding, Rule, Severity
from compilelint.model.patterns import late_pattern
from compilelint.report.layout.grouping import weight
from compilelint.report.layout.judged import judged_words
from compilelint.report.layout.paths import Places
from compilelint.report.layout.source_links import SourceOnWeb, source_from, source_of
from compilelint.report.layout.text import counted, escaped, spoken, witnessed
from compilelint.report.report import Report

# GitHub takes 1 MiB a step, and a longer table is not read.
_MOST_ROWS = 500
_MOST_CHARACTERS = 500

_ICONS = {Severity.ERROR: "🔴", Severity.WARNING: "🟡", Severity.NOTE: "🔵"}
_CODE = late_pattern(r"`([^`]+)`")
# Whatever Markdown, its tables, math, mentions, emoji and automatic links are made of.
_SIGNS = late_pattern(r"[&<>`*_~|\[\]\\@#$!{}^]|:(?!\s|$)|w(?=ww)", re.IGNORECASE)
_BREAK = "&#8203;"
# `model.py:7:1` in a sentence, which is copied: it is code, so that nothing has to be put between its parts.
_PLACE = late_pattern(r"(?<![^\s(])([^\s():]+\.(?:pyi?|ipynb)(?::cell \d+)?(?::\d+)+)")
# What GitHub makes an emoji of, even behind entities.
_EMOJI = late_pattern(r"&#58;(?=(?:[\w+-]|&#95;)+(?:&#58;|:))")


def render(report: Report) -> str:
    """A headline, the counts by rule, and a table of the findings, worst first."""
    return "\n".join(_markdown_lines(report)) + "\n"


def _markdown_lines(report: Report) -> Iterator[str]:
    total = len(report.findings)
    target = f"torch {_outside_code(report.torch.version)}"
    files = counted(report.files_checked, "file")
    yield "## compilelint"
    yield ""
    if not total:
        yield f"No findings in {files} for {target}.{_left_out(report)}"
        yield from _judged(report)
        return
    counts = report.by_severity()
    listed = ", ".join(
        f"{_ICONS[severity]} {counted(count, severity.label)}" for severity, count in counts.items() if count
    )
    yield f"{counted(total, 'finding')} in {files} for {target}: {listed}.{_left_out(report)}"
    yield from _judged(report)
    yield ""
    yield "| findings | rule | finds that |"
    yield "|---:|---|---|"
    rules = {finding.rule.code: finding.rule for finding in report.findings}
    numbers = Counter(finding.rule.code for finding in report.findings)
    for code, number in sorted(numbers.items(), key=lambda item: (-item[1], item[0])):
        yield f"| {number} | {rule_link(rules[code])} {rules[code].name} | {worded(rules[code].summary)} |"
    yield ""
    yield "| | place | rule | finding |"
    yield "|---|---|---|---|"
    places = Places(report.base)
    source = source_from(os.environ) or source_of(report.base)
    for finding in sorted(report.findings, key=weight)[:_MOST_ROWS]:
        yield _row(finding, places, source)
    if total > _MOST_ROWS:
        yield ""
        yield f"{counted(total - _MOST_ROWS, 'more finding')}, the least severe, not shown."


def _judged(report: Report) -> Iterator[str]:
    """What was judged, a paragraph each."""
    for head, body in judged_words(report, Places(report.base)):
        yield ""
        yield f"{head}: {worded(body)}"


def _row(finding: Finding, places: Places, source: SourceOnWeb | None) -> str:
    """A row of the table: the place is linked to its line at this commit, the code to the rule's page."""
    place = code(escaped(places.relative(finding.location.path)) + spoken(finding.location))
    address = source.line(finding.location, places) if source else ""
    place = f"[{place}]({address})" if address else place
    seen = f"<br>verify: {worded(witnessed(finding))}" if finding.verdict else ""
    said = worded(finding.message) + seen + (f"<br>help: {worded(finding.help)}" if finding.help else "")
    said += f"<br>confidence: {worded(finding.confidence.explained)}" if finding.confidence.doubts else ""
    return f"| {_ICONS[finding.severity]} | {place} | {rule_link(finding.rule)} | {said} |"


def rule_link(rule: Rule) -> str:
    """A rule's code, linked to its page where it has one."""
    return f"[{rule.code}]({rule.address})" if rule.address else rule.code


def _left_out(report: Report) -> str:
    parts = []
    if report.suppressed:
        parts.append(f"{report.suppressed} suppressed")
    if report.hidden:
        parts.append(f"{report.hidden} of low confidence not shown")
    if report.baselined:
        parts.append(f"{report.baselined} in the baseline")
    if report.unchanged:
        parts.append(f"{report.unchanged} on unchanged lines")
    return f" ({', '.join(parts)})" if parts else ""


def worded(text: str) -> str:
    """A message of ours: what stands between backticks is code, and all the rest is plain."""
    shown = escaped(" ".join(text.splitlines()))
    shown = shown if len(shown) <= _MOST_CHARACTERS else shown[: _MOST_CHARACTERS - 3] + "..."
    parts = _CODE.split(shown)
    return "".join(code(part) if number % 2 else _with_places(part) for number, part in enumerate(parts))


def _with_places(text: str) -> str:
    """Text outside of code, in which places are code."""
    parts = _PLACE.split(text)
    return "".join(code(part) if number % 2 else _outside_code(part) for number, part in enumerate(parts))


def code(text: str) -> str:
    """Text in `<code>`, every sign of it an entity: in a table, Markdown's own code spans break at `|`."""
    return f"<code>{_entities(text)}</code>"


def _outside_code(text: str) -> str:
    """Text outside of code, where GitHub looks for `@name` and `:emoji:` even behind entities."""
    return _EMOJI.sub(f"&#58;{_BREAK}", _entities(text).replace("&#64;", f"&#64;{_BREAK}"))


def _entities(text: str) -> str:
    return _SIGNS.sub(lambda found: f"&#{ord(found.group())};", text)
