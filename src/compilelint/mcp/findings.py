"""Findings as answers hold them: a page, worst first, within a size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from compilelint import model
from compilelint.mcp.answers import (
    MOST_CHARACTERS,
    MOST_ENTRIES,
    Finding,
    Fixable,
    LintAnswer,
    Root,
    clipped,
)
from compilelint.report.layout.judged import judged_words
from compilelint.report.layout.reached import ReachedRoots, key_of
from compilelint.report.layout.text import escaped
from compilelint.report.report import Report

Shown = Callable[[str], str]


def page_of(
    report: Report,
    shown: Shown,
    offset: int,
    limit: int,
    with_fixes: Callable[[Iterable[model.Finding]], Iterable[model.Finding]],
) -> LintAnswer:
    """The findings from `offset` on, at most `limit`; `with_fixes` is asked of those alone."""
    in_order = sorted(report.findings, key=lambda one: (-one.severity, -one.confidence))
    wanted = in_order[offset : offset + limit]
    findings: list[Finding] = []
    size = 0
    for one in with_fixes(wanted):
        made = finding_of(one, shown)
        size += len(made.model_dump_json())
        if findings and size > MOST_CHARACTERS:
            break
        findings.append(made)
    end = offset + len(findings)
    by_rule = Counter(one.rule.code for one in report.findings)
    return LintAnswer(
        files=report.files_checked,
        torch=clipped(f"{report.torch.version} ({escaped(report.torch.source)})"),
        total=len(in_order),
        offset=offset,
        next_offset=end if end < len(in_order) else None,
        by_severity={severity.label: count for severity, count in report.by_severity().items()},
        by_rule=dict(by_rule.most_common(MOST_ENTRIES)),
        findings=findings,
        roots=_roots(report, shown),
        judged=[clipped(escaped(f"{head}: {words}")) for head, words in judged_words(report)][:MOST_ENTRIES],
        notices=[clipped(escaped(one.text)) for one in report.notices][:MOST_ENTRIES],
    )


def finding_of(one: model.Finding, shown: Shown) -> Finding:
    """A finding; its texts are clipped, and quote of the code no more than messages do."""
    fix = None
    if one.fix is not None:
        fix = Fixable(safety=one.fix.safety.value, title=clipped(escaped(one.fix.title)))
    return Finding(
        rule=one.rule.code,
        name=one.rule.name,
        severity=one.severity.label,  # type: ignore[arg-type]  # the words of the enumeration
        confidence=one.confidence.label,  # type: ignore[arg-type]
        since=[doubt.why for doubt in one.confidence.doubts],
        effect=one.effect.value,
        path=_word(shown(one.location.path)),
        line=one.location.span.line,
        column=one.location.span.column,
        message=clipped(escaped(one.message)),
        why=clipped(escaped(one.why)),
        help=clipped(escaped(one.help)),
        function=_word(one.function),
        reached_from=_words(one.roots),
        break_ids=list(one.break_ids[:MOST_ENTRIES]),
        fix=fix,
        verdict="" if one.verdict is None else one.verdict.outcome.value,
    )


def _roots(report: Report, shown: Shown) -> list[Root]:
    reached = ReachedRoots(report)
    counts = Counter(key for one in report.findings for key in reached.of(one))
    in_order = sorted(report.roots, key=lambda root: -counts[key_of(root)])[:MOST_ENTRIES]
    return [
        Root(
            name=_word(root.name),
            path=_word(shown(root.location.path)),
            line=root.location.span.line,
            findings=counts[key_of(root)],
        )
        for root in in_order
    ]


def _word(text: str) -> str:
    return clipped(escaped(text), 300)


def _words(texts: Sequence[str]) -> list[str]:
    return [_word(text) for text in texts[:5]]
