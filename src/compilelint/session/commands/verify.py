"""Verify on one page: run the targets, lint what they went through, join both, and report.

The runs come first, since they show which files matter and which torch is there; the static pass knows nothing of what
they saw. Raises UsageError where the request cannot be carried out, a missing torch included.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from compilelint import checks
from compilelint.config import Options, UsageError
from compilelint.dynamic.merge import Side, join, sides, without_places
from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.dynamic.observations import is_of_project, top_folder
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.dynamic.unanswered import causes, refuse_unanswered
from compilelint.fleet.observe import Fleet
from compilelint.model import Confidence, Effect, Fate, Finding, Notice, Outcome, TargetRun
from compilelint.report.report import Report, TorchTarget
from compilelint.rulebook import RUN_ONLY_BREAK, RUN_ONLY_RECOMPILE
from compilelint.session.commands.lint import lint
from compilelint.session.pipeline.finish import place_of, with_lines
from compilelint.session.pipeline.inputs import base_of
from compilelint.syntax.source import read_source
from compilelint.syntax.suppressions import suppressions
from compilelint.syntax.unreadable import Unreadable


@dataclass(frozen=True, slots=True)
class Verification:
    """The joint report, and a row a target in the order asked for; `interrupted` where the user ended the runs."""

    report: Report
    sides: tuple[Side, ...]
    interrupted: bool = False

    @property
    def unanswered(self) -> bool:
        """Only targets that could not be judged are not ready."""
        missed = [side.run.fate for side in self.sides if not side.run.within_budget]
        return bool(missed) and all(fate is Fate.NO_ANSWER for fate in missed)

    @property
    def ready(self) -> bool:
        """Every target ran, agreed with eager, and kept its budget."""
        return all(side.run.within_budget for side in self.sides)


def verify(
    targets: Sequence[Target],
    settings: Settings,
    options: Options,
    on_result: Callable[[int, TargetRun], None] | None = None,
    fleet: Fleet | None = None,
) -> Verification:
    """Run the targets and judge the static findings by what was seen; without a `fleet`, by one worker of this machine.

    The static pass reads `options.paths`, or, where those are empty, the targets' own files that a run went through.
    """
    runs, interrupted = runs_of(targets, settings, on_result, fleet)
    return replace(joined(runs, options), interrupted=interrupted)


def runs_of(
    targets: Sequence[Target],
    settings: Settings,
    on_result: Callable[[int, TargetRun], None] | None = None,
    fleet: Fleet | None = None,
) -> tuple[list[TargetRun], bool]:
    """The runs, and whether the user ended them: what was done by then is kept, if anything was.

    Raises UsageError, where no target could be judged too, and what the fleet raises.
    """
    done: dict[int, TargetRun] = {}

    def take(number: int, run: TargetRun) -> None:
        done[number] = run
        if on_result is not None:
            on_result(number, run)

    try:
        runs = (fleet or Fleet()).observe(targets, settings, take)
        refuse_unanswered(runs)
        return runs, False
    except NoWorkerError as error:
        raise UsageError(error.what, "compilelint verify", error.hint) from error
    except KeyboardInterrupt:
        if not done:
            raise
    ended = [TargetRun(one.label, Fate.INTERRUPTED, "interrupted before it was done") for one in targets]
    return [done.get(number, run) for number, run in enumerate(ended)], True


def with_recording(options: Options) -> Options:
    """The same with CUDA graphs asked for wherever the code does not say otherwise."""
    if options.dynamo.records_cuda_graphs:
        return options
    return replace(options, dynamo=replace(options.dynamo, mode="reduce-overhead"), update_baseline=False)


def exported(
    targets: Sequence[Target],
    settings: Settings,
    on_result: Callable[[int, TargetRun], None] | None = None,
    fleet: Fleet | None = None,
) -> Verification:
    """Try the targets with `torch.export`: no static findings, since those speak of `torch.compile`."""
    runs, interrupted = runs_of(targets, settings, on_result, fleet)
    return replace(joined(runs, None), interrupted=interrupted)


def joined(runs: Sequence[TargetRun], options: Options | None) -> Verification:
    """What `verify` reports of runs that were made elsewhere; without options, of the runs alone."""
    static = None if options is None else _static(runs, options)
    least = Confidence.POSSIBLE if options is None else options.min_confidence
    base = static.base if static is not None else base_of(os.getcwd())
    where = _named_in(base)
    findings = static.findings if static is not None else ()
    found = [*without_places(_allowed(join(findings, runs)), where)]
    shown = [one for one in found if _is_shown(one, least)]
    blank = Report((), 0, TorchTarget(_version(runs) or "", "the one that ran"), base, rules=checks.rulebook().rules)
    report = replace(
        static or blank,
        findings=tuple(sorted(with_lines(shown, {}), key=place_of)),
        hidden=len(found) - len(shown),
        min_confidence=least,
        targets=tuple(runs),
        notices=(*(static or blank).notices, *(Notice("defect", text) for text in causes(runs))),
    )
    return Verification(report, sides([one for one in found if one.confidence >= least], runs))


def _static(runs: Sequence[TargetRun], options: Options) -> Report | None:
    """The findings of the static pass, the merely possible too: a run may confirm them."""
    paths = options.paths or tuple(_files_of(runs))
    if not paths:
        return None
    version = options.torch_version or _version(runs)
    plain = None if version is None else version.partition("+")[0]
    return lint(replace(options, paths=paths, torch_version=plain, min_confidence=Confidence.POSSIBLE))


def _version(runs: Sequence[TargetRun]) -> str | None:
    """The torch that ran."""
    return next((run.torch for run in runs if run.torch), None)


def _files_of(runs: Iterable[TargetRun]) -> list[str]:
    """The files of the targets' own packages and of the project that Dynamo went through, and those they stand in."""
    found: dict[str, None] = {}
    for run in runs:
        if run.place is None:
            continue
        home = top_folder(run.place.path)
        for path in (run.place.path, *(path for path, _ in run.traced)):
            if is_of_project(path, (home, os.getcwd())) and os.path.isfile(path):
                found[path] = None
    return list(found)


def _is_shown(finding: Finding, least: Confidence) -> bool:
    """What a run confirmed is shown however unsure the static pass was."""
    confirmed = finding.verdict is not None and finding.verdict.outcome is Outcome.CONFIRMED
    return confirmed or finding.confidence >= least


def _allowed(findings: Iterable[Finding]) -> list[Finding]:
    """Without what a run saw on lines whose breaks are suppressed already, under whatever code."""
    codes = {
        RUN_ONLY_BREAK.code: [r.code for r in checks.rulebook().rules if Effect.GRAPH_BREAK in r.effects],
        RUN_ONLY_RECOMPILE.code: [r.code for r in checks.rulebook().rules if Effect.RECOMPILE in r.effects],
    }
    left = []
    for one in findings:
        also = codes.get(one.rule.code)
        source = read_source(one.location.path) if also is not None and one.location.path else None
        if also is not None and source is not None and not isinstance(source, Unreadable):
            line, pragmas = one.location.span.line, suppressions(source)
            if any(pragmas.match(line, line, code) for code in (one.rule.code, *also)):
                continue
        left.append(one)
    return left


def _named_in(base: str) -> str:
    """The file to charge with a target whose code cannot be found."""
    project = Path(base) / "pyproject.toml"
    return str(project if project.exists() else Path(base)).replace(os.sep, "/")
