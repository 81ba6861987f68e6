"""One line, one rule, one finding: what follows on the same line is reported with the first, not beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from compilelint.model import HERE_TOO, Effect, Finding, Related
from compilelint.rulebook import worst_first

# By rule: the rules that say the same of a line, and more. What a run of the program shows, the code may show itself.
SAID_BY = {"CL716": frozenset({"CL701", "CL702", "CL703", "CL704", "CL705", "CL706"})}


def fold_lines(findings: Iterable[Finding]) -> list[Finding]:
    """The findings with those of one rule on one line deduplicated to one, which stands at the leftmost of the surest.

    `a.item() + b.item()` is fixed in one go, and a reader who has seen the first needs no second frame for the other:
    its place becomes a related one. Findings about the tool's own work (two bad pragmas, say) stay apart.
    """
    lines: dict[tuple[str, str, int], list[Finding]] = {}
    findings = list(findings)
    said = {(one.rule.code, one.location.path, one.location.span.line) for one in findings}
    for number, finding in enumerate(findings):
        place = finding.location.path, finding.location.span.line
        if any((code, *place) in said for code in SAID_BY.get(finding.rule.code, ())):
            continue
        span = finding.location.span
        line = span.line if finding.effect is not Effect.TOOL else -number
        lines.setdefault((finding.rule.code, finding.location.path, line), []).append(finding)
    return [group[0] if len(group) == 1 else _folded(group) for group in lines.values()]


def _folded(group: list[Finding]) -> Finding:
    """One finding for several of one line."""
    group = sorted(group, key=lambda one: (-one.confidence, one.location.span))
    first, others = group[0], group[1:]
    there = sorted(others, key=lambda one: one.location.span)
    return replace(
        first,
        effects=worst_first({effect for one in group for effect in one.effects}),
        break_ids=tuple(sorted({gb_id for one in group for gb_id in one.break_ids})),
        roots=tuple(dict.fromkeys(root for one in group for root in one.roots)),
        root_places=tuple(dict.fromkeys(root for one in group for root in one.root_places)),
        torch_versions=tuple(dict.fromkeys(version for one in group for version in one.torch_versions)),
        related=(*first.related, *(Related(one.location, HERE_TOO) for one in there)),
    )
