"""The end of a report for people: how ready the compile roots are, how many findings, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from compilelint.model import Confidence, Effect, Safety, Severity
from compilelint.report.layout.judged import judged, judged_words
from compilelint.report.layout.page import Page
from compilelint.report.layout.readiness import readiness, ready
from compilelint.report.layout.styled import Text
from compilelint.report.layout.text import counted, escaped, pasted_path, shown_path, shown_place
from compilelint.report.report import Report

_MOST_ROOTS = 8
_SEEN_IN_A_RUN = frozenset({Effect.GRAPH_BREAK, Effect.ERROR, Effect.RECOMPILE})


def put_readiness(page: Page, report: Report, most: int = _MOST_ROOTS) -> None:
    """A headline for each compile root with findings, the worst first: how many graphs to expect, and what it costs."""
    rows = readiness(report)
    if not rows:
        return
    whole, unsure = ready(report)
    others = [f"{counted(whole, 'other')} without a finding"] if whole else []
    others += [f"{counted(unsure, 'other')} not seen whole"] if unsure else []
    listed = f" ({', '.join(others)})" if others else ""
    page.put(Text(f"Compile roots{listed}:", style="bold"))
    for row in rows[:most]:
        at = f", first at {shown_place(row.first)}"
        compiled = f", compiled at {shown_place(row.compiled_at)}" if row.compiled_at else ""
        page.paragraph(
            Text.assemble("  ", Text(escaped(row.name), style="bold"), ": "), f"{row.words}{at}{compiled}", indent=4
        )
    if len(rows) > most:
        page.put(Text(f"  and {counted(len(rows) - most, 'root')} more"))
    page.put(Text())


def put_counts(page: Page, report: Report, styles: Mapping[Severity, str]) -> None:
    """How many, where, for which torch, and what to do next."""
    target = f"torch {escaped(report.torch.version)} ({escaped(report.torch.source)})"
    checked = counted(report.files_checked, "file")
    hidden = (
        f" {counted(report.hidden, 'finding')} of low confidence: --min-confidence possible shows them."
        if report.hidden
        else ""
    )
    silenced = f" {report.suppressed} suppressed." if report.suppressed else ""
    if not report.findings:
        found = judged(report)
        clear, style = ("All clear ", "bold green") if found.whole else ("No findings ", "bold yellow")
        body = f"in {checked}: no findings for {target}.{silenced}{hidden}"
        if not found.whole:
            body = f"in {checked} for {target}.{silenced}{hidden}"
        if report.baselined:
            clear = f"No new findings, {report.baselined:,} known "
            body = f"in {checked} for {target}.{silenced}{hidden}"
        page.paragraph(Text(clear, style=style), body, indent=0)
        _put_judged(page, report)
        return
    counts = report.by_severity()
    listed = ", ".join(counted(count, severity.label) for severity, count in counts.items() if count)
    touched = len({finding.location.path for finding in report.findings})
    worst = next(severity for severity, count in counts.items() if count)
    body = f"({listed}) in {touched} of {checked}, for {target}.{silenced}{hidden}"
    count = counted(len(report.findings), "finding")
    if report.baselined:
        count = f"{counted(len(report.findings), 'new finding')}, {report.baselined:,} known"
    page.paragraph(Text(f"{count} ", style=styles[worst]), body, indent=0)
    _put_judged(page, report)
    page.paragraph(Text("Next: ", style="bold"), next_step(report), indent=6)
    if unsure := _unsure(report):
        those = "finding is" if unsure == 1 else "findings are"
        body = f"{_verifying(report)} under TorchDynamo; {unsure} {those} not certain."
        page.paragraph(Text("Then: ", style="bold"), body, indent=6)


def _put_judged(page: Page, report: Report) -> None:
    for head, body in judged_words(report):
        page.paragraph(Text(f"{head}: ", style="bold"), body, indent=6)


def _unsure(report: Report) -> int:
    """How many findings that a run would settle are not proven; none where there was one."""
    if report.targets:
        return 0
    return sum(one.confidence is not Confidence.CERTAIN and one.effect in _SEEN_IN_A_RUN for one in report.findings)


def _verifying(report: Report) -> str:
    """The command that runs the models: as it is printed it does, or it first finds how they are built."""
    away = shown_path(f"{report.base}/x") != "x"
    here = pasted_path(report.base) if away else ""
    if report.configured_targets:
        them = "the target" if report.configured_targets == 1 else f"the {report.configured_targets} targets"
        return f"`{f'cd {here} && ' if here else ''}compilelint verify` runs {them} of the configuration"
    command = f"compilelint init --verify {here}".rstrip()
    return f"`{command}` finds how models are built and runs them"


def next_step(report: Report) -> str:
    """What to do next: apply the fixes that there are, else read of the most frequent rule."""
    safe = sum(finding.fix is not None and finding.fix.safety is Safety.SAFE for finding in report.findings)
    fixes = sum(finding.fix is not None for finding in report.findings)
    if safe:
        more = f" ({fixes} with --unsafe-fixes)" if fixes > safe else ""
        diff = f"`compilelint check --diff` shows how {safe} of them{more} can be fixed"
        return f"{diff}; `compilelint check --fix` does it."
    if fixes:
        have, them = ("1 has a fix", "it") if fixes == 1 else (f"{fixes} have a fix", "them")
        return f"{have} that may change results: `compilelint check --unsafe-fixes --diff` shows {them}."
    code = Counter(finding.rule.code for finding in report.findings).most_common(1)[0][0]
    return f"`compilelint rule {code}` explains the most frequent rule and what to write instead."
