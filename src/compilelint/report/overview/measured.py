"""What runs and measurements said of a project: read from the JSON of `verify` and `bench`, matched to findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compilelint.model import Confidence, Effect, Finding, Location, Outcome, Rule, Span, Verdict
from compilelint.model.slotted import dataclass


class NotMeasuredError(ValueError):
    """A document is not what `verify` or `bench` writes; the text says why."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A target as a run of TorchDynamo saw it; where it did not run, `fate` says what became of it.

    `path` and `line` are where it is defined, empty and 0 where that is not known; `differs` names the first result
    that is not as in eager mode.
    """

    target: str
    fate: str
    detail: str
    path: str
    line: int
    graphs: int
    breaks: int
    recompiles: int
    differs: str
    mode: str


@dataclass(frozen=True, slots=True)
class Speed:
    """How many times as fast as eager a target's fastest configuration is, with the ends of the interval."""

    target: str
    mode: str
    configuration: str
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Measured:
    """All of it: targets, speeds, and verdicts by rule, path and line; `seen` are findings that a run alone made."""

    runs: tuple[Ran, ...] = ()
    speeds: tuple[Speed, ...] = ()
    verdicts: tuple[tuple[tuple[str, str, int], Verdict], ...] = ()
    seen: tuple[Finding, ...] = ()


def measured(
    runs: Iterable[Any], speeds: Mapping[tuple[str, str], Mapping[str, Any]], rules: Sequence[Rule]
) -> Measured:
    """What documents of `verify --output json` hold, and speeds by target and mode. Raises NotMeasuredError."""
    ran: list[Ran] = []
    verdicts: dict[tuple[str, str, int], Verdict] = {}
    seen: list[Finding] = []
    known = {rule.code: rule for rule in rules}
    for document in runs:
        try:
            ran += map(_ran, document["targets"])
            for one in document["findings"]:
                verdict = _verdict(one["verdict"]) if one["verdict"] else None
                if verdict is None:
                    continue
                verdicts[(one["rule"], one["path"], one["line"])] = verdict
                if verdict.outcome is Outcome.RUN_ONLY and one["rule"] in known:
                    seen.append(_finding(one, known[one["rule"]], verdict))
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise NotMeasuredError("there are no targets and findings of a run in it") from error
    timed = [
        Speed(target, mode, str(one["configuration"]), *(float(one[key]) for key in ("estimate", "low", "high")))
        for (target, mode), one in speeds.items()
    ]
    return Measured(tuple(ran), tuple(timed), tuple(verdicts.items()), tuple(seen))


def _ran(one: Mapping[str, Any]) -> Ran:
    place = one["place"] or {}
    parity = one["parity"] or {}
    differing = parity.get("divergences") or [{"name": ""}]
    own = {(found["path"], found["line"]) for found in one["breaks"] if not found["after"]}
    return Ran(
        str(one["target"]),
        str(one["fate"]),
        str(one["detail"]).partition("\n")[0],
        str(place.get("path", "")),
        int(place.get("line", 0)),
        int(one["graphs"]),
        len(own),
        len(one["recompiles"]),
        str(differing[0]["name"]),
        str(one["mode"]),
    )


def _verdict(one: Mapping[str, Any]) -> Verdict:
    return Verdict(Outcome(one["outcome"]), str(one["detail"]), tuple(one["targets"]), tuple(one["break_ids"]))


def _finding(one: Mapping[str, Any], rule: Rule, verdict: Verdict) -> Finding:
    span = Span(*(int(one[key]) for key in ("line", "column", "end_line", "end_column")))
    return Finding(
        rule,
        str(one["message"]),
        tuple(Effect(effect) for effect in one["effects"]),
        Confidence[str(one["confidence"]).upper()],
        Location(str(one["path"]), span, one.get("cell")),
        str(one["function"]),
        tuple(one["break_ids"]),
        tuple(one["roots"]),
        verdict=verdict,
    )
