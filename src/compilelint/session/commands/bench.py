"""Bench on one page: run and lint the targets as verify does, find changes that may pay, and measure all of it.

A change is measured only where a run showed that it alters no result and removes a break or leaves a copy out, or where
it may keep code from being compiled again (`pricing`); what it is worth comes from the measurement. Raises UsageError
where the request cannot be carried out, a missing torch or compiler included.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from compilelint.bench.measure import NoCompilerError, not_measured
from compilelint.bench.measure import bench as measure
from compilelint.bench.plan import Plan, Variant
from compilelint.bench.result import Bench
from compilelint.config import Options, UsageError
from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.dynamic.unanswered import refuse_unanswered
from compilelint.fleet.attempts import each_answered
from compilelint.fleet.observe import DIED, UNREADABLE, Fleet
from compilelint.model import Fate, TargetRun
from compilelint.report.report import Report, TorchTarget
from compilelint.session.commands.verify import joined
from compilelint.session.fixing.price import Pricing, pricing

_WHERE = "compilelint bench"


@dataclass(frozen=True, slots=True)
class Benched:
    """The joint report of verify, with what was measured in it."""

    report: Report

    @property
    def well(self) -> bool:
        """Every target ran, at least one configuration of each was compiled, and none gives other results."""
        return all(map(_is_well, self.report.benches))


def bench(
    targets: Sequence[Target],
    settings: Settings,
    plan: Plan,
    options: Options,
    progress: Callable[[str], None],
    prices: bool = True,
    runs: bool = True,
    fleet: Fleet | None = None,
) -> Benched:
    """Measure the targets; with `prices`, what their findings cost too. Without `runs` nothing but the times is known:
    no target is linted, nor run by itself before it is measured. A `fleet` with an engine runs and measures targets
    there, each wholly in one process.
    """
    fleet = fleet or Fleet()
    plain = replace(settings, backend="eager", threads=1)
    try:
        if not runs:
            benches = _measured(targets, [()] * len(targets), settings, plan, progress, fleet)
            refuse_unanswered([_as_run(one) for one in benches])
            return Benched(replace(joined((), None).report, torch=_measured_on(benches), benches=tuple(benches)))
        progress("running TorchDynamo on the targets")
        observed = fleet.observe(targets, plain)
        refuse_unanswered(observed)
        verification = joined(observed, options)
        with contextlib.ExitStack() as copies:
            found = [
                pricing(target, side, plain, verification, copies, progress) if prices else Pricing()
                for target, side in zip(targets, verification.sides, strict=True)
            ]
            measured = _measured(targets, [one.variants for one in found], settings, plan, progress, fleet)
            benches = [replace(bench, causes=one.causes) for bench, one in zip(measured, found, strict=True)]
    except NoWorkerError as error:
        raise UsageError(error.what, _WHERE, error.hint) from error
    except NoCompilerError as error:
        raise UsageError(error.what, _WHERE, error.hint) from error
    return Benched(replace(verification.report, benches=tuple(benches)))


def _as_run(bench: Bench) -> TargetRun:
    """What became of the target, as a run says it: that of its first variant, which is eager code."""
    return TargetRun(bench.target, bench.measured[0].fate, bench.measured[0].detail)


def _measured(
    targets: Sequence[Target],
    variants: Sequence[Sequence[Variant]],
    settings: Settings,
    plan: Plan,
    progress: Callable[[str], None],
    fleet: Fleet,
) -> list[Bench]:
    """The measurements in the order of the targets."""
    each = list(zip(targets, variants, strict=True))
    if fleet.engine is None:
        return [measure(target, settings, plan, progress, more) for target, more in each]
    there = replace(settings, python="") if settings.python == sys.executable else settings
    asked = {place: (target, there, plan, tuple(more)) for place, (target, more) in enumerate(each)}

    def retired(place: int, error: Exception) -> Bench:
        target, more = each[place]
        return not_measured(target, settings, plan, more, Fate.KILLED, DIED)

    benches: dict[int, Bench] = {}
    answers: Iterator[tuple[int, object]]  # whatever a process of the cluster sends
    answers = each_answered(fleet.engine, measured_there, asked, retired, longest=_longest(plan, variants))
    for place, answer in answers:
        if isinstance(answer, Refusal):
            raise UsageError(f"{targets[place].label}: {answer.what}", _WHERE, answer.hint)
        bench = answer
        if not isinstance(bench, Bench):
            bench = not_measured(targets[place], settings, plan, variants[place], Fate.NO_ANSWER, UNREADABLE)
        benches[place] = bench
        progress(f"{bench.target}: measured, {len(benches)} of {len(each)}")
    return [benches[place] for place in range(len(each))]


def _longest(plan: Plan, variants: Sequence[Sequence[Variant]]) -> float:
    """The seconds that the steps of one target may take together, each up to its limit: one for every round, and at
    both ends of every process.
    """
    most = len(plan.configs) + max(map(len, variants), default=0)
    return plan.limit * (1 + most * (plan.rounds + 2 * len(plan.processes)))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a process of the cluster measures nothing."""

    what: str
    hint: str


def measured_there(asked: tuple[Target, Settings, Plan, Sequence[Variant]]) -> Bench | Refusal:
    """One target's measurements, on the cluster's side. Raises nothing: not every exception can travel."""
    target, settings, plan, variants = asked
    try:
        return measure(target, settings, plan, more=variants)
    except (NoWorkerError, NoCompilerError) as error:
        return Refusal(error.what, error.hint)


def _measured_on(benches: Sequence[Bench]) -> TorchTarget:
    versions = [bench.stack["torch"] for bench in benches if "torch" in bench.stack]
    return TorchTarget(versions[0] if versions else "unknown", "the one that ran")


def _is_well(bench: Bench) -> bool:
    compiled = [one for one in bench.measured if one.variant.config.mode is not None and not one.variant.change]
    agrees = all(one.agreement is None or one.agreement.unknown or one.agreement.holds for one in compiled)
    return bench.measured[0].ran and (not compiled or any(one.ran for one in compiled)) and agrees
