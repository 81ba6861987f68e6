"""All that the readiness report of a project says, before any format spells it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from compilelint.model import Confidence, Effect, Finding
from compilelint.model.slotted import dataclass
from compilelint.report.layout.quoted import Lines
from compilelint.report.overview.blocks import Blocks
from compilelint.report.overview.deployment.plan import Asked
from compilelint.report.overview.measured import Measured, Ran
from compilelint.report.overview.roots import Compiled, compiled_functions
from compilelint.report.overview.since import Since
from compilelint.report.overview.work import Task, tasks
from compilelint.report.report import Report

_ADVICE = "CL8"  # families of what pays: merely possible by nature, and worth a try


@dataclass(frozen=True, slots=True)
class Overview:
    """`report` holds what was judged, its findings at least as sure as asked for, advice besides; `hidden` counts the
    others. `functions` are all that were judged as compiled, `tasks` the work in order, `loose` findings that belong to
    none of the functions. `recorded` says whether everything was judged for CUDA graphs, asked for or not,
    `since` what has changed since an earlier report, where one was given, `asked` is of a report on a deployment.
    `switches` are those, off by default, that functions break further behind.
    """

    report: Report
    hidden: int
    functions: tuple[Compiled, ...]
    tasks: tuple[Task, ...]
    loose: tuple[Finding, ...]
    measured: Measured
    purpose: str = "compile"
    recorded: bool = True
    since: Since | None = None
    asked: Asked | None = None
    switches: tuple[str, ...] = ()

    @property
    def exports(self) -> bool:
        """Whether the question is whether it can be exported."""
        return self.purpose != "compile"

    def of_kind(self, *kinds: str) -> tuple[Compiled, ...]:
        """The functions that became roots in one of these ways."""
        return tuple(one for one in self.functions if one.kind in kinds)

    def is_candidate(self, task: Task) -> bool:
        """Whether work on a function that nothing compiles is worth naming: where the code compiles something itself,
        none is; where there are models, their own methods are (`sample`, `generate`), and helpers beside them are not.
        """
        if self.of_kind("explicit"):
            return False
        models = {_class_of(one.spec) for one in self.of_kind("forward")}
        mine = [one for one in self.functions if one.name in task.roots]
        return not models or any(_class_of(one.spec) in models for one in mine)

    @property
    def refuted(self) -> tuple[Finding, ...]:
        """What a run said is wrong."""
        found = (one for one in self.report.findings if one.verdict is not None)
        return tuple(one for one in found if one.verdict and one.verdict.outcome.value == "refuted")


def overview(
    report: Report, recorded: Report | None, least: Confidence, measured: Measured, purpose: str = "compile"
) -> Overview:
    """The overview of a report that holds all findings; `recorded` is the same with CUDA graphs asked for everywhere,
    None where that was not judged.

    `purpose` is what was asked of the code. Findings less sure than `least` are counted, not shown, unless they are
    advice.
    """
    wanted = [one for one in report.findings if _is_wanted(one, least)]
    verdicts = dict(measured.verdicts)
    judged = [_with_verdict(one, verdicts.get) for one in wanted]
    places = {(one.rule.code, one.location.path, one.location.span.line) for one in judged}
    judged += [one for one in measured.seen if (one.rule.code, one.location.path, one.location.span.line) not in places]
    asked = report if recorded is None else recorded
    unrecorded = [one for one in asked.findings if Effect.CUDAGRAPH in one.effects and _is_wanted(one, least)]
    whole = replace(report, findings=tuple(judged))
    lines = Lines(replace(whole, findings=(*judged, *unrecorded)))
    blocks = Blocks(lines, report.off)
    found = compiled_functions(report.roots, judged, unrecorded, blocks.repeats, blocks.switch)
    functions = _measured(found, measured)
    reached = {id(finding) for one in functions for finding in (*one.findings, *one.unrecorded)}
    loose = tuple(one for one in judged if id(one) not in reached)
    return Overview(
        whole,
        report.hidden + len(report.findings) - len(wanted),
        tuple(functions),
        tuple(tasks(functions, loose, blocks.repeats, blocks.switch)),
        loose,
        measured,
        purpose,
        recorded is not None,
        switches=tuple(dict.fromkeys(blocks.switch(each) for one in functions for each in one.off)),
    )


def _is_wanted(finding: Finding, least: Confidence) -> bool:
    return finding.confidence >= least or finding.rule.code.startswith(_ADVICE)


def _with_verdict(finding: Finding, verdict_of: Callable[..., object]) -> Finding:
    from compilelint.model import Verdict

    found = verdict_of((finding.rule.code, finding.location.path, finding.location.span.line))
    return replace(finding, verdict=found) if isinstance(found, Verdict) else finding


def _measured(functions: Iterable[Compiled], measured: Measured) -> list[Compiled]:
    """Each function with the runs and speeds of targets that are it, or the model whose forward it is."""
    found = []
    for one in functions:
        runs = tuple(run for run in measured.runs if _is(run, one))
        targets = {run.target for run in runs}
        speeds = tuple(
            speed for speed in measured.speeds if speed.target in targets or _names(speed.target) == _spec(one)
        )
        found.append(replace(one, runs=runs, speeds=speeds))
    return found


def _is(run: Ran, function: Compiled) -> bool:
    """Whether a target is a function, by the file that defines it and its name; without a file, by its whole name."""
    name = _names(run.target)[1]
    own = function.name.removesuffix(".forward")
    if run.path:
        return run.path == function.location.path and name == own
    return _names(run.target) == _spec(function)


def _names(target: str) -> tuple[str, str]:
    module, _, name = target.partition(":")
    return module, name


def _spec(function: Compiled) -> tuple[str, str]:
    return _names(function.spec.removesuffix(".forward"))


def _class_of(spec: str) -> str:
    """`pkg.mod:Model` of `pkg.mod:Model.sample`; of a function outside of classes its module, which no model has."""
    module, _, name = spec.partition(":")
    owner, _, _ = name.rpartition(".")
    return f"{module}:{owner}"


def unmatched(overview: Overview) -> Sequence[str]:
    """The measured targets that are none of the functions."""
    known = {run.target for function in overview.functions for run in function.runs}
    known |= {speed.target for function in overview.functions for speed in function.speeds}
    every = [*(run.target for run in overview.measured.runs), *(speed.target for speed in overview.measured.speeds)]
    return [target for target in dict.fromkeys(every) if target not in known]
