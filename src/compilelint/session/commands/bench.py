"""Bench on one page: run and lint the targets as verify does, find changes that may pay, and measure all of it.

A change is measured only where a run showed that it alters no result and removes a break or leaves a copy out, or where
it may keep code from being compiled again (`pricing`); what it is worth comes from the measurement. Raises UsageError
where the request cannot be carried out, a missing torch or compiler included.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from compilelint.bench.measure import NoCompilerError
from compilelint.bench.measure import bench as measure
from compilelint.bench.plan import Plan
from compilelint.bench.result import Bench
from compilelint.config import Options, UsageError
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import NoTorchError, observe
from compilelint.dynamic.targets import Target
from compilelint.report.report import Report, TorchTarget
from compilelint.session.commands.verify import joined
from compilelint.session.fixing.price import Pricing, pricing


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
) -> Benched:
    """Measure the targets; with `prices`, what their findings cost too. Without `runs` nothing but the times is known:
    no target is linted, nor run by itself before it is measured.
    """
    where = "compilelint bench"
    plain = replace(settings, backend="eager", threads=1)
    try:
        if not runs:
            benches = [measure(target, settings, plan, progress) for target in targets]
            return Benched(replace(joined((), None).report, torch=_measured_on(benches), benches=tuple(benches)))
        progress("running TorchDynamo on the targets")
        verification = joined(observe(targets, plain), options)
        benches = []
        with contextlib.ExitStack() as copies:
            for target, side in zip(targets, verification.sides, strict=True):
                found = pricing(target, side, plain, verification, copies, progress) if prices else Pricing()
                measured = measure(target, settings, plan, progress, found.variants)
                benches.append(replace(measured, causes=found.causes))
    except NoTorchError as error:
        raise UsageError(error.what, where, error.hint) from error
    except NoCompilerError as error:
        raise UsageError(error.what, where, error.hint) from error
    return Benched(replace(verification.report, benches=tuple(benches)))


def _measured_on(benches: Sequence[Bench]) -> TorchTarget:
    versions = [bench.stack["torch"] for bench in benches if "torch" in bench.stack]
    return TorchTarget(versions[0] if versions else "unknown", "the one that ran")


def _is_well(bench: Bench) -> bool:
    compiled = [one for one in bench.measured if one.variant.config.mode is not None and not one.variant.change]
    agrees = all(one.agreement is None or one.agreement.unknown or one.agreement.holds for one in compiled)
    return bench.measured[0].ran and (not compiled or any(one.ran for one in compiled)) and agrees
