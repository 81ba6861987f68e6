"""One report of several runs: files of one invocation are linted by the nearest configuration each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from compilelint.report.report import Report, TorchTarget
from compilelint.session.pipeline.finish import place_of

_T = TypeVar("_T")


def united(reports: Sequence[Report]) -> Report:
    """The runs as one report: what each found, by place, and what each judged. A single run is its own report."""
    first = reports[0]
    if len(reports) == 1:
        return first
    found = {(one.rule.code, one.location, one.message): one for report in reports for one in report.findings}
    versions = _distinct(report.torch.version for report in reports)
    sources = _distinct(report.torch.source for report in reports)
    return replace(
        first,
        findings=tuple(sorted(found.values(), key=place_of)),
        files_checked=sum(report.files_checked for report in reports),
        torch=TorchTarget(", ".join(versions), "; ".join(sources)),
        notices=_distinct(chain.from_iterable(report.notices for report in reports)),
        suppressed=sum(report.suppressed for report in reports),
        hidden=sum(report.hidden for report in reports),
        min_confidence=min(report.min_confidence for report in reports),
        torch_versions=_distinct(chain.from_iterable(report.torch_versions for report in reports)),
        roots=_distinct(chain.from_iterable(report.roots for report in reports)),
        unjudged=_distinct(chain.from_iterable(report.unjudged for report in reports)),
        calls=_distinct(chain.from_iterable(report.calls for report in reports)),
        asked_roots=_distinct(chain.from_iterable(report.asked_roots for report in reports)),
        baselined=sum(report.baselined for report in reports),
        unchanged=sum(report.unchanged for report in reports),
        pages=None,
    )


def _distinct(items: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))
