"""What the page asks of compilelint: a program's findings, graphs, fixes and beliefs, as JSON.

Runs in the browser's worker, and in tests outside of it. One text is asked about again and again while it is typed, so
what a run reads and learns stays for the next. Positions count from 1, columns in code points, as findings have them.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

from compilelint import __version__
from compilelint.config import Options
from compilelint.fixes.engine.edits import rewritten
from compilelint.lib.file_state import FileState
from compilelint.model import Finding, Location, Notice
from compilelint.report.layout.root_titles import titles
from compilelint.report.layout.strips import Strip, expected
from compilelint.report.report import Report
from compilelint.rulebook import pages
from compilelint.session.fixing.propose import with_fixes
from compilelint.session.live import Live, Modules
from compilelint.session.live_hover import innermost, words
from compilelint.syntax.source import Source, source_from_bytes, standing_in
from compilelint.torchfacts.facts import available

PATH = "/program/model.py"
OLDEST = (2, 6)
MOST_CHARACTERS = 60_000
SECONDS = 10.0
MOST_RUNS = 25
"""Runs after which what they leave behind is set aside though the page is never at rest."""

# The disk of the browser holds nothing but Python, so where imports were looked up says nothing.
_UNSAID = frozenset({"environment"})


class Answers:
    """Answers about the newest text that `check` was given."""

    def __init__(self) -> None:
        self._modules = Modules()
        self._by_torch: dict[str, Live] = {}
        self._asked: tuple[Source, str] | None = None
        self._report: Report | None = None
        self._known: FileState | None = None
        self._runs = 0

    def about(self) -> str:
        """Our version and the torch versions to choose from, newest first."""
        known = [one for one in available() if tuple(map(int, one.split(".")[:2])) >= OLDEST]
        return json.dumps({"version": __version__, "torch": known[::-1]})

    def check(self, text: str, torch: str) -> str:
        """The findings and graphs of a program, or why there are none."""
        self._asked = self._report = self._known = None
        if len(text) > MOST_CHARACTERS:
            return _refusal(
                f"longer than {MOST_CHARACTERS:,} characters: use `compilelint check` for a program like this"
            )
        source = source_from_bytes(PATH, text.encode("utf-8", "surrogatepass"))
        if not isinstance(source, Source):
            return _refusal(source.message)
        self._asked = source, torch
        report = self._report = self._live(torch).report({PATH: source}, [PATH])
        return json.dumps(
            {
                "torch": report.torch.version,
                "findings": [_finding(one) for one in report.findings],
                "roots": list(_roots(report, source)),
                "notices": [_notice(one) for one in report.notices if one.kind not in _UNSAID],
                "hidden": report.hidden,
                "suppressed": report.suppressed,
            }
        )

    def fixes(self) -> str:
        """The fixes of the findings of the last check, each with its number, and the text as it would be."""
        if self._asked is None or self._report is None:
            return "[]"
        source = self._asked[0]
        with standing_in({PATH: source}):
            fixed = with_fixes(self._report.findings)
        found = []
        for number, one in enumerate(fixed):
            if one.fix is None:
                continue
            text = rewritten(source, [one.fix]).text
            if text != source.text:
                diff = list(unified_diff(source.lines, text.split("\n"), n=1, lineterm=""))[2:]
                fix = {"title": one.fix.title, "safety": one.fix.safety.value, "text": text, "diff": diff}
                found.append({"finding": number, **fix})
        return json.dumps(found)

    def hover(self, line: int, column: int) -> str:
        """What is believed of the smallest expression at a place, in paragraphs of Markdown; null where nothing is."""
        if self._asked is None:
            return "null"
        source, torch = self._asked
        if self._known is None:
            self._known = self._live(torch).beliefs({PATH: source}, PATH, [PATH])
        found = None if self._known is None else innermost(self._known, (line, column))
        return json.dumps(None if found is None else {"span": found[0], "words": list(words(found[1]))})

    def rule(self, code: str) -> str:
        """The page of a rule, in Markdown."""
        return json.dumps(pages()[code].text)

    def rest(self) -> str:
        """Look through what runs have left behind, which takes longer than an answer: for when nothing is typed."""
        if self._runs:
            self._runs = 0
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        return "null"

    def _tidy(self) -> None:
        """Leave what a run has left behind to the next rest."""
        self._runs += 1
        gc.freeze()
        if self._runs >= MOST_RUNS:
            self.rest()

    def _live(self, torch: str) -> Live:
        if torch not in self._by_torch:
            options = Options((PATH,), torch_version=torch or None, timeout=SECONDS)
            self._by_torch[torch] = Live(options, self._modules, self._tidy)
        return self._by_torch[torch]


def _refusal(text: str) -> str:
    return json.dumps({"refusal": text})


def _finding(one: Finding) -> dict[str, Any]:
    return {
        "code": one.rule.code,
        "name": one.rule.name,
        "summary": one.rule.summary,
        "severity": one.severity.label,
        "effect": one.effect.value,
        "confidence": one.confidence.explained if one.confidence.doubts else one.confidence.label,
        "message": one.message,
        "why": one.why,
        "help": one.help,
        "span": one.location.span,
        "breaks": one.break_ids,
        "roots": one.roots,
        "related": list(_related(one)),
    }


def _related(one: Finding) -> Iterator[dict[str, Any]]:
    """The way of the value, then the calls that lead from the root to the place."""
    for step in one.related:
        yield {"line": step.location.span.line, "text": step.text}
    for site in one.call_chain:
        yield {"line": site.location.span.line, "text": f"called here in `{site.function}`"}


def _roots(report: Report, source: Source) -> Iterator[dict[str, Any]]:
    """Each root with the words for its graphs, and its stretches where something ends one."""

    def line_of(place: Location, number: int) -> str:
        return source.line(number) if place.path == PATH and 0 < number <= len(source.lines) else ""

    strips: dict[str, Strip] = {one.name: one for one in expected(report, line_of)}
    for root, title in titles(report, PATH):
        strip = strips.get(root.name)
        stretches = [] if strip is None else strip.stretches
        yield {
            "name": root.name,
            "line": root.location.span.line,
            "title": title,
            "graphs": root.graphs,
            "stretches": [
                {"kind": one.kind, "part": one.part, "note": one.note, "lines": [one.lines[0], one.lines[-1]]}
                for one in stretches
            ],
        }


def _notice(one: Notice) -> dict[str, Any]:
    return {"text": one.text, "line": one.line}
