"""`compilelint why` for people: what became of each finding of the line, why it is silent, and every way to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from compilelint.model import CallSite, Finding, Location
from compilelint.report.explanation import Belief, Explanation, Happening, Test, Way
from compilelint.report.layout.label import label
from compilelint.report.layout.page import Page
from compilelint.report.layout.styled import Text
from compilelint.report.layout.text import counted, escaped, json_text, shown_path

SCHEMA_VERSION = 1
_MOST_WAYS = 3
_MOST_CALLS = 6


def why_text(explanation: Explanation, color: bool, width: int | None, every_way: bool = False) -> str:
    """The explanation on a page; of many ways the first few, unless every one is wanted."""
    page = Page(color, width)
    page.put(Text.assemble(page.place(explanation.location, column=False), f"  {escaped(explanation.text)}"))
    inside = f"in `{escaped(explanation.function)}`, " if explanation.function else ""
    page.paragraph(Text("  "), f"{inside}as `{escaped(explanation.command)}` checks it for torch {explanation.torch}")
    page.put(Text())
    for one in explanation.outcomes:
        _put_outcome(page, one.finding, one.fate, one.because)
    if not explanation.is_reported:
        page.put(Text("Nothing is reported here.", style="bold"))
        _put_list(page, (f"{sentence}." for sentence in explanation.silence))
    shown = explanation.ways if every_way else explanation.ways[:_MOST_WAYS]
    for number, way in enumerate(shown, 1):
        page.put(Text())
        _put_way(page, number, way)
    if len(explanation.ways) > len(shown):
        page.put(Text())
        page.put(Text(f"and {counted(len(explanation.ways) - len(shown), 'more way')}: --all shows them"))
    if explanation.around:
        page.put(Text())
        page.put(Text("Without a compile root:", style="bold"))
        for happening in explanation.around:
            _put_happening(page, happening)
    return page.text()


def _put_outcome(page: Page, finding: Finding, fate: str, because: tuple[str, ...]) -> None:
    span = finding.location.span
    head = Text.assemble((f"{fate.capitalize()}: ", "bold"), label(finding))
    page.paragraph(head, f" {finding.rule.name}: {escaped(finding.message)} (column {span.column})", indent=4)
    words = [f"confidence: {finding.confidence.explained}"]
    if finding.break_ids:
        words.append(f"breaks: {', '.join(finding.break_ids)}")
    if finding.roots:
        words.append(f"reached from {', '.join(map(escaped, finding.roots[:_MOST_WAYS]))}")
    _put_list(page, (*words, *because))


def _put_way(page: Page, number: int, way: Way) -> None:
    page.paragraph(Text(f"{number}. from {escaped(way.root)}", style="bold"), f": {_shown(way.kind)}", indent=5)
    for site in (*way.calls[:_MOST_CALLS],):
        page.put(Text(f"   called at {_at(site.location)} in `{escaped(site.function)}`"))
    if len(way.calls) > _MOST_CALLS:
        page.put(Text(f"   and {counted(len(way.calls) - _MOST_CALLS, 'more call')}"))
    _put_beliefs(page, "given", way.given)
    if way.tests:
        page.put(Text("   tests on the way:"))
        for test in way.tests:
            _put_test(page, test)
    if way.stop:
        page.paragraph(Text("   not reached: ", style="bold"), escaped(way.stop))
        return
    _put_beliefs(page, "on the line", way.beliefs)
    if way.happened:
        page.put(Text("   what happens:"))
        for happening in way.happened:
            _put_happening(page, happening)


def _put_beliefs(page: Page, title: str, beliefs: Iterable[Belief]) -> None:
    for number, one in enumerate(beliefs):
        if number == 0:
            page.put(Text(f"   {title}:"))
        origin = f"  <- {one.origin}" if one.origin else ""
        page.paragraph(Text(f"     {escaped(one.text)}: "), escaped(f"{one.value}{origin}"), indent=9)


def _put_test(page: Page, test: Test) -> None:
    value = f"; {test.value}" if test.value and test.value not in ("True", "False") else ""
    above = "" if test.around else " (above the line)"
    lowered = f"; lowers to {test.lowered}" if test.lowered else ""
    head = Text(f"     line {test.location.span.line}{above} `{escaped(test.text)}`: ")
    page.paragraph(head, escaped(f"{test.outcome}{value}{lowered}"), indent=9)


def _put_happening(page: Page, happening: Happening) -> None:
    fact = f": {happening.fact}" if happening.fact else ""
    head = Text(f"     {_shown(happening.what)}")
    page.paragraph(head, escaped(fact), indent=9)
    for said in happening.said:
        page.paragraph(Text("       -> "), escaped(said))


def _put_list(page: Page, sentences: Iterable[str]) -> None:
    for one in sentences:
        page.paragraph(Text("  - "), escaped(one))


def _at(location: Location) -> str:
    return f"{escaped(shown_path(location.path))}:{location.span.line}"


def _shown(words: str) -> str:
    """Words in which a path may stand, as the user would write it."""
    head, mark, path = words.rpartition(" ")
    return f"{escaped(head)}{mark}{escaped(shown_path(path))}"


# ------------------------------------------------------------------ for programs


def why_data(explanation: Explanation) -> str:
    """The same for programs, as JSON: paths absolute with `/`, lines and columns from 1."""
    document = {
        "schema_version": SCHEMA_VERSION,
        **_place(explanation.location),
        "text": explanation.text,
        "function": explanation.function,
        "torch": explanation.torch,
        "environment": explanation.environment,
        "linted": explanation.linted,
        "findings": [
            {
                "rule": one.finding.rule.code,
                "message": one.finding.message,
                "fate": one.fate,
                "because": list(one.because),
                "confidence": one.finding.confidence.label,
                "doubts": [{"name": doubt.label, "why": doubt.why} for doubt in one.finding.confidence.doubts],
                "roots": list(one.finding.roots),
                "break_ids": list(one.finding.break_ids),
            }
            for one in explanation.outcomes
        ],
        "silence": list(explanation.silence),
        "ways": [_way(one) for one in explanation.ways],
        "around": [_happening(one) for one in explanation.around],
    }
    return json_text(json.dumps(document, indent=1)) + "\n"


def _way(way: Way) -> dict[str, Any]:
    return {
        "root": way.root,
        "kind": way.kind,
        "calls": [_call(one) for one in way.calls],
        "given": [asdict(one) for one in way.given],
        "tests": [
            {
                **_place(one.location),
                "text": one.text,
                "outcome": one.outcome,
                "value": one.value,
                "around": one.around,
                "lowered": one.lowered,
            }
            for one in way.tests
        ],
        "stop": way.stop,
        "values": [asdict(one) for one in way.beliefs],
        "happened": [_happening(one) for one in way.happened],
    }


def _call(site: CallSite) -> dict[str, Any]:
    return {**_place(site.location), "function": site.function}


def _happening(one: Happening) -> dict[str, Any]:
    return {**_place(one.location), "what": one.what, "fact": one.fact, "said": list(one.said)}


def _place(location: Location) -> dict[str, Any]:
    return {"path": location.path, "line": location.span.line, "column": location.span.column}


# ------------------------------------------------------------------- bug reports


def bundle_text(explanation: Explanation, versions: Iterable[tuple[str, str]], source: str) -> str:
    """What a report of a false alarm or of a missed finding needs, as Markdown; `source` is the function's text."""
    return "\n".join(_bundle(explanation, versions, source)) + "\n"


def _bundle(explanation: Explanation, versions: Iterable[tuple[str, str]], source: str) -> Iterator[str]:
    at = explanation.location
    yield f"# compilelint on line {at.span.line} of {at.path.rpartition('/')[2]}"
    yield ""
    yield "Expected: (a finding, or none, and why)"
    yield ""
    yield from (f"- {name}: {value}" for name, value in versions)
    yield f"- torch: {explanation.torch}"
    yield f"- imports: {explanation.environment}"
    for title, text in (("Explanation", why_text(explanation, False, None, True)), ("Source", source)):
        fence = "`" * max(3, 1 + max((len(run) for run in _ticks(text)), default=0))
        yield from ("", f"## {title}", "", fence, text.rstrip("\n"), fence)


def _ticks(text: str) -> Iterator[str]:
    run = ""
    for character in f"{text} ":
        if character == "`":
            run += character
        elif run:
            yield run
            run = ""
