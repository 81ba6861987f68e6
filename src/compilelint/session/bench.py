"""Bench on one page: run and lint the targets as verify does, find changes that may pay, and measure all of it.

A change is measured only where a run showed that it removes a break and alters no result, or where it may keep code
from being compiled again; what it is worth comes from the measurement. Raises UsageError where the request cannot be
carried out, a missing torch or compiler included.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from compilelint.bench.measure import NoCompilerError
from compilelint.bench.measure import bench as measure
from compilelint.bench.plan import Config, Plan, Variant
from compilelint.bench.result import Bench
from compilelint.config import Options, UsageError
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import NoTorchError, observe
from compilelint.dynamic.targets import Target
from compilelint.dynamic.whatif import AGAINST_RECOMPILES, CHANGES
from compilelint.model import Fate, TargetRun
from compilelint.report import Report
from compilelint.session.verify import Verification, joined
from compilelint.session.whatif import copy_with, repairs_of, what_if

_MOST_CHANGES = 4
_DEFAULT = Config("default")


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
) -> Benched:
    """Measure the targets; with `prices`, what their findings cost too."""
    where = "compilelint bench"
    plain = replace(settings, backend="eager", threads=1)
    try:
        progress("running TorchDynamo on the targets")
        verification = joined(observe(targets, plain), options)
        benches = []
        with contextlib.ExitStack() as copies:
            for target, side in zip(targets, verification.sides, strict=True):
                more = list(_changes(target, side.run, plain, verification, copies, progress)) if prices else []
                benches.append(measure(target, settings, plan, progress, more))
    except NoTorchError as error:
        raise UsageError(error.what, where, error.mend) from error
    except NoCompilerError as error:
        raise UsageError(error.what, where, error.mend) from error
    return Benched(replace(verification.report, benches=tuple(benches)))


def _changes(
    target: Target,
    run: TargetRun,
    settings: Settings,
    verification: Verification,
    copies: contextlib.ExitStack,
    progress: Callable[[str], None],
) -> Iterator[Variant]:
    """Changes to a target that are worth measuring, those that remove most breaks first."""
    if run.fate is not Fate.RAN:
        return
    if any(one.cause == "state" for one in run.recompiles):
        for change in AGAINST_RECOMPILES:
            yield Variant(_DEFAULT, change.name, settings=change.changes["config"])
    if not run.own_breaks:
        return
    progress(f"{target.label}: which changes remove its breaks?")
    (side,) = (side for side in verification.sides if side.run is run)
    (tries,) = what_if([target], settings, replace(verification, sides=(side,)))
    switches = {one.name: one for one in CHANGES}
    repairs = {one.name: one for one in repairs_of(verification.report.findings, run)}
    helping = sorted((one for one in tries.effects if one.helps), key=lambda one: -len(one.removed))
    for effect in helping[:_MOST_CHANGES]:
        if effect.name in repairs:
            overlay = copies.enter_context(copy_with(run, [repairs[effect.name]]))
            yield Variant(_DEFAULT, effect.name, overlay=overlay)
        elif "config" in switches[effect.name].changes:  # others are configurations by themselves
            yield Variant(_DEFAULT, effect.name, settings=switches[effect.name].changes["config"])
    chosen = [repairs[one.name] for one in tries.way if one.name in repairs]
    if len(chosen) > 1 and len(chosen) == len(tries.way):
        overlay = copies.enter_context(copy_with(run, chosen))
        yield Variant(_DEFAULT, f"all {len(chosen)} fixes together", overlay=overlay)


def _is_well(bench: Bench) -> bool:
    compiled = [one for one in bench.measured if one.variant.config.mode is not None and not one.variant.change]
    agrees = all(one.agreement is None or one.agreement.unknown or one.agreement.holds for one in compiled)
    return bench.measured[0].ran and (not compiled or any(one.ran for one in compiled)) and agrees
