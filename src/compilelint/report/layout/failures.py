"""Why a run of targets is no success, a line a target: for a reader of the terminal whose report is in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from compilelint.bench.result import Bench
from compilelint.model import Fate, TargetRun
from compilelint.report.layout.text import escaped, shown_path

_HINTS = {
    Fate.NO_INPUTS: "give its inputs, as in --input 2x3x224x224",
    Fate.IMPORT_ERROR: "name its folder with --path, and install what it imports",
    Fate.BUILD_ERROR: "name a function that takes no arguments and returns the model",
    Fate.EAGER_ERROR: "make it run without compiling, or give it other inputs",
    Fate.COMPILE_ERROR: "fix what it names, or drop that configuration",
    Fate.TIME_LIMIT: "raise --timeout, or give it smaller inputs",
    Fate.MEMORY_LIMIT: "raise --memory, or give it smaller inputs",
    Fate.EXITED: "run it by itself: `compilelint verify TARGET --verbose` shows what it printed",
    Fate.KILLED: "run it by itself: `compilelint verify TARGET --verbose` shows what it printed",
    Fate.NO_ANSWER: "the model is not to blame; run it again, and report what stays",
    Fate.INTERRUPTED: "run it again; what ended before is in this report",
}


def of_runs(runs: Iterable[TargetRun]) -> Iterator[str]:
    """What kept each target of `verify` from being ready; nothing for those that are."""
    for run in runs:
        if run.fate is Fate.NO_ANSWER:
            continue  # said once for all of them, by `dynamic.unanswered`
        if run.fate is not Fate.RAN:
            place = "" if run.place is None else f" ({shown_path(run.place.path)}:{run.place.line})"
            yield escaped(f"{run.target}{place}: {_ended('not run', run.fate, run.detail)}")
        elif not run.within_budget:
            yield escaped(f"{run.target}: {'; '.join(_missed(run))}")


def _missed(run: TargetRun) -> Iterator[str]:
    breaks, again = len(run.own_breaks), len(run.recompiles)
    if breaks > run.max_breaks:
        first = run.own_breaks[0]
        where = f"{shown_path(first.path)}:{first.line}"
        yield f"graph breaks: {breaks}, allowed: {run.max_breaks}, the first at {where}"
    if run.max_recompiles is not None and again > run.max_recompiles:
        yield f"recompiles: {again}, allowed: {run.max_recompiles}"
    if run.parity is not None and run.parity.divergences:
        found = run.parity.divergences[0]
        yield f"{found.name} differs between eager and compiled: {found.text}"
    if run.exports and not any(one.works for one in run.exports if one.way != "draft"):
        yield "torch.export fails"


def of_benches(benches: Iterable[Bench]) -> Iterator[str]:
    """What kept each target of `bench` from being measured, or makes its measurement none to rely on."""
    for bench in benches:
        eager, *others = bench.measured
        compiled = [one for one in others if one.variant.config.mode is not None and not one.variant.change]
        if not eager.ran:
            yield escaped(f"{bench.target}: {_ended('not measured', eager.fate, eager.detail)}")
        elif compiled and not any(one.ran for one in compiled):
            first = compiled[0]
            yield escaped(f"{bench.target}: {_ended(f'`{first.name}` not measured', first.fate, first.detail)}")
        for one in compiled:
            found = one.agreement
            if found is not None and not found.unknown and not found.holds:
                limit = f"{found.error:.1e}, allowed is {found.limit:.0e}"
                yield escaped(f"{bench.target}: `{one.name}` gives different results: {found.name} is off by {limit}")


def _ended(what: str, fate: Fate, detail: str) -> str:
    """What happened, and what to do about it, unless that is said already."""
    first = detail.partition("\n")[0] or fate.value
    hint = "" if " --path" in first or fate not in _HINTS else f"; {_HINTS[fate]}"
    return f"{what}: {first}{hint}"
