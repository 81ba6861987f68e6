"""Targets about which nothing is known, since compilelint itself failed or the machine did: said once for each cause.

Such a run is no finding about the model. Where no target could be judged, the whole request failed (NoWorkerError).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compilelint.dynamic.no_worker import REPORT, NoWorkerError
from compilelint.model import Fate, TargetRun

_MOST_NAMES = 3


def refuse_unanswered(runs: Sequence[TargetRun]) -> None:
    """Raise NoWorkerError where there are targets, and none of them could be judged."""
    if runs and all(run.fate is Fate.NO_ANSWER for run in runs):
        text = _first_line(runs[0])
        raise NoWorkerError(text, _hint(text))


def causes(runs: Sequence[TargetRun]) -> Iterator[str]:
    """A line for each cause for which targets could not be judged, with their names and what to do."""
    by_cause: dict[str, list[str]] = {}
    for run in runs:
        if run.fate is Fate.NO_ANSWER:
            by_cause.setdefault(_first_line(run), []).append(run.target)
    for text, names in by_cause.items():
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        yield f"{text} (not run: {', '.join(names[:_MOST_NAMES])}{more}); {_hint(text)}"


def _first_line(run: TargetRun) -> str:
    return run.detail.strip().partition("\n")[0]


def _hint(text: str) -> str:
    return REPORT if text.startswith("a defect of compilelint") else "then run it again"
