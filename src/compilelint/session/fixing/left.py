"""What still breaks when all fixes were tried, so that silence is not taken for "nothing to do"."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from compilelint.dynamic.merge import meets
from compilelint.fixes.engine.registry import rewrites
from compilelint.model import Finding, ObservedBreak
from compilelint.session.fixing.prove import Proven

_MOST = 10


def left(proven: Proven, shown: Callable[[str], str]) -> Iterator[str]:
    """A line for each statement that still breaks and has no fix, with what to write; `shown` makes paths as printed.

    A fix that was tried and dropped has its line in the ledger already.
    """
    tried = {(one.finding.location.path, one.finding.line_text.strip()) for one in proven.ledger if not one.kept}
    lines: dict[str, None] = {}
    for run in proven.after:
        for broken in run.own_breaks:
            about = [one for one in proven.fixed.report.findings if meets(one, broken)]
            if any((broken.path, one.line_text.strip()) in tried for one in about):
                continue
            lines[_words(broken, about, shown)] = None
    yield from list(lines)[:_MOST]
    if len(lines) > _MOST:
        yield f"{len(lines) - _MOST} more without a fix: `compilelint verify` lists all breaks"


def _words(broken: ObservedBreak, about: list[Finding], shown: Callable[[str], str]) -> str:
    place = f"{shown(broken.path)}:{broken.line}"
    if not about:
        return f"no fix: {place} {' '.join((broken.break_id, broken.words)).strip()}; no finding is about it"
    first = about[0]
    return f"no fix: {place} {first.rule.code} {first.message}; {first.help or 'see `compilelint rule`'}; {_why(first)}"


def _why(finding: Finding) -> str:
    """Why no fix was tried for a finding. Those whose conditions a text meets are tried, so no other reason is left."""
    wanted = finding.rewrite
    count = 0 if wanted is None else len({*rewrites(wanted.name), *rewrites(wanted.name, proven=True)})
    if not count:
        return "no rewrite is written for it"
    code = finding.rule.code
    some = f"none of {count} rewrites fits" if count > 1 else "its rewrite does not fit"
    return f"{some} the text around it: `compilelint rule {code}` says, under Fix, where each is legal"
