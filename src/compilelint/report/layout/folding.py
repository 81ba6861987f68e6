"""Which findings the first screen shows, and which it counts on a line, with the reason.

Nothing is dropped: `--all` shows everything, and formats for programs carry all findings with the reason. Findings are
folded only beside others that are shown, so that a report is never empty because of this.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from compilelint.model import Effect, Finding
from compilelint.model.slotted import dataclass
from compilelint.report.layout.text import counted, escaped
from compilelint.report.report import ASIDE, COMPILES, UNMADE, WEIGHTLESS, Report

Reason: TypeAlias = Callable[[Finding], "str | None"]

GUESS = " (unreached)"  # what findings add to the name of a root that only might be compiled
NOT_COMPILED = "functions that no linted code compiles"
_MOST_COPIES = 3  # files that show the same finding; in the others it is counted
_SIDE = frozenset(
    """
    benchmark benchmarks demo demos doc docs example examples notebooks sample samples test tests third_party
    third-party tutorial tutorials vendor vendored _vendor
    """.split()
)


@dataclass(frozen=True, slots=True)
class Fold:
    """Findings that are counted in place of being shown: why, and in which folder or for which line."""

    reason: str
    findings: tuple[Finding, ...]

    @property
    def words(self) -> str:
        """`12 findings in tests/`."""
        return f"{counted(len(self.findings), 'finding')} {self.reason}"


def folded(report: Report) -> tuple[tuple[Finding, ...], list[Fold]]:
    """The findings to show, and the folds, the largest first."""
    if report.unfolded:
        return report.findings, []
    left = list(report.findings)
    folds: list[Fold] = []
    for part in (_beside_the_package, _if_compiled, _no_work, _copies):
        reason_of = part(report)
        aside = [(reason, one) for one in left if (reason := reason_of(one)) is not None]
        hidden = {id(one) for _, one in aside}
        shown = [one for one in left if id(one) not in hidden]
        if not shown:  # then these are what the report is about
            continue
        left = shown
        by_reason: dict[str, list[Finding]] = {}
        for reason, one in aside:
            by_reason.setdefault(reason, []).append(one)
        folds += [Fold(reason, tuple(found)) for reason, found in by_reason.items()]
    return tuple(left), sorted(folds, key=lambda fold: -len(fold.findings))


def _beside_the_package(report: Report) -> Reason:
    """Says of a finding in docs, examples, tests or vendored copies in which folder it is."""

    def reason(finding: Finding) -> str | None:
        folder = side_folder(finding.location.path, report.base)
        return f"in {escaped(folder)}/" if folder else None

    return reason


def side_folder(path: str, base: str) -> str:
    """The folder of docs, examples, tests or vendored copies that a file is in; empty for a file of the package."""
    folders = os.path.relpath(path, base).replace(os.sep, "/").split("/")[:-1]
    for depth, name in enumerate(folders, 1):
        if name.lower() in _SIDE:
            return "/".join(folders[:depth])
    return ""


def _if_compiled(report: Report) -> Reason:
    """Says of a finding that its function is not known to be compiled, where other code of the report is."""
    guessed = reached_by_guess(report)
    return lambda finding: f"in {NOT_COMPILED}" if guessed(finding) else None


def reached_by_guess(report: Report) -> Callable[[Finding], bool]:
    """Says of a finding whether nothing reaches it that is known to be compiled, where other code of the report is."""
    known = any(root.known for root in report.roots)

    def guessed(finding: Finding) -> bool:
        only = known and bool(finding.roots) and all(name.endswith(GUESS) for name in finding.roots)
        return only and Effect.TOOL not in finding.effects

    return guessed


def _no_work(report: Report) -> Reason:
    """Says of a finding that nothing reaches it but modules that are no work, where there are others."""
    aside: dict[str, str] = {}
    for root in report.roots:
        aside[root.name] = root.aside if aside.get(root.name, root.aside) else ""
    models = any(root.known and not root.aside for root in report.roots)

    def reason(finding: Finding) -> str | None:
        names = [name for name in finding.roots if not name.endswith(GUESS)]
        why = {aside.get(name, "") for name in names}
        return _NO_WORK[min(why, key=ASIDE.index)] if models and why and "" not in why else None

    return reason


_NO_WORK = {
    WEIGHTLESS: "in modules without parameters (losses, preparation of data)",
    COMPILES: "in models that compile a trace of their own",
    UNMADE: "in models that no script of the project makes",
}


_MOST_COMPARED = 400  # characters of a line: one may be very long, and hold thousands of findings


def _copies(_report: Report) -> Reason:
    """Says of a finding that the same line has it in several files already."""
    files: dict[tuple[str, str, str], set[str]] = {}

    def reason(finding: Finding) -> str | None:
        line = finding.line_text[:_MOST_COMPARED].strip()
        if not line:
            return None
        paths = files.setdefault((finding.rule.code, finding.message, line), set())
        paths.add(finding.location.path)
        many = len(paths) > _MOST_COPIES
        return f"of {escaped(finding.rule.code)} on copies of `{escaped(line[:60])}`" if many else None

    return reason


def reasons(report: Report) -> list[str]:
    """Why each finding of a report is folded, in their order; empty for those that are shown."""
    by_finding = {id(one): fold.reason for fold in folded(report)[1] for one in fold.findings}
    return [by_finding.get(id(one), "") for one in report.findings]


def fold_lines(folds: Sequence[Fold], most: int = 6) -> Iterator[str]:
    """Yield a line for each of the largest folds, and one for the others."""
    for fold in folds[:most]:
        yield fold.words
    others = folds[most:]
    if others:
        count = sum(len(fold.findings) for fold in others)
        yield f"{counted(count, 'finding')} for {counted(len(others), 'other reason')}"
