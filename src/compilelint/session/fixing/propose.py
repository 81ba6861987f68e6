"""The fixes of findings, for reports that show them and for callers that apply them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from compilelint.fixes import code_of, first_proposal
from compilelint.interp.core.clock import thread_time
from compilelint.model import Confidence, Finding, Safety
from compilelint.report.layout.text import shown_path
from compilelint.syntax.source import Source, read_source
from compilelint.syntax.stack import run_with_deep_stack

MAX_SECONDS = 4.0
"""CPU time in which the fixes of one file are looked for: each looks at all of the file around it."""


def with_fixes(
    findings: Iterable[Finding],
    unsafe: bool = True,
    least: Confidence = Confidence.POSSIBLE,
    spent: dict[str, float] | None = None,
    linted: Collection[str] = (),
) -> tuple[Finding, ...]:
    """The findings with `fix` filled where one can be computed, the one that changes least; each file is read once.

    What reports call before they show fixes. A file that cannot be read any more has none, nor have findings that are
    less sure than `least`. `spent` is what earlier searches took, in CPU seconds by path, and is kept up to date: who
    searches a file again, as it is after some fixes, has what is left. Fixes that change other files than their
    finding's are looked for among those that are `linted`.
    """
    taken = {} if spent is None else spent
    return run_with_deep_stack(lambda: _with_fixes(list(findings), unsafe, least, taken, linted))


def _with_fixes(
    found: list[Finding], unsafe: bool, least: Confidence, spent: dict[str, float], linted: Collection[str]
) -> tuple[Finding, ...]:
    by_path: dict[str, list[int]] = {}
    for number, finding in enumerate(found):
        # Those of a pack bring their fixes.
        if finding.fix is not None and not unsafe and finding.fix.safety is not Safety.SAFE:
            found[number] = finding = replace(finding, fix=None)
        if finding.rewrite is not None and finding.confidence >= least:
            by_path.setdefault(finding.location.path, []).append(number)
    for path, numbers in by_path.items():  # file by file: the trees of all of them would take as much as the analysis
        source = read_source(path)
        code = code_of(source, linted) if isinstance(source, Source) else None
        begin = thread_time()
        until = begin + MAX_SECONDS - spent.get(path, 0.0)
        for done, number in enumerate(numbers if code is not None else ()):
            assert code is not None
            if thread_time() > until:
                text = "%s: the search for fixes was stopped after %g s, so %d findings have none"
                import logging

                logging.getLogger(__name__).warning(text, shown_path(path), MAX_SECONDS, len(numbers) - done)
                break
            fix = first_proposal(found[number], code, unsafe)
            if fix is not None:
                found[number] = replace(found[number], fix=fix)
        spent[path] = spent.get(path, 0.0) + thread_time() - begin
    return tuple(found)
