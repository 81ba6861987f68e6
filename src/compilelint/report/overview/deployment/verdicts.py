"""The verdict on each function: compile it, fix it first, leave it eager, or measure; with expected speeds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from compilelint.model import Finding
from compilelint.report.layout.folding import side_folder
from compilelint.report.layout.text import counted, escaped
from compilelint.report.overview.deployment.expected import causes, expected
from compilelint.report.overview.deployment.plan import Purpose, Range, Verdict
from compilelint.report.overview.overview import Overview
from compilelint.report.overview.roots import Compiled, InLoop
from compilelint.survey.practices import Practice
from compilelint.torchfacts.costs import Setting

SETTINGS = {"train": Setting.TRAIN, "serve": Setting.INFER}
_CLEARLY = 1.05  # a gain below it is within what two runs of one program differ by


def judged(overview: Overview, tops: frozenset[str]) -> list[Compiled]:
    """The functions that a deployment is about: what the code compiles, else its outermost models, the package first.

    `tops` are the classes that no other model is made of, as `--roots` names them.
    """
    base = overview.report.base
    explicit = overview.of_kind("explicit")
    models = overview.of_kind("forward")
    outermost = [one for one in models if one.spec.removesuffix(".forward") in tops] or list(models)
    package = [[one for one in found if _is_of_package(one, base)] for found in (explicit, outermost)]
    found = package[0] or package[1] or explicit or outermost
    return sorted(found, key=lambda one: (not one.calls, -one.functions, one.name))


def _is_of_package(one: Compiled, base: str) -> bool:
    """Whether it stands in the package, and is compiled there where anything compiles it."""
    calls = [at.path for at, _ in one.calls]
    return not side_folder(one.location.path, base) and not (calls and all(side_folder(at, base) for at in calls))


def verdict(one: Compiled, purpose: Purpose, obstacle: str, in_loop: InLoop, once: Collection[Practice]) -> Verdict:
    """The verdict on one function; `obstacle` says why CUDA graphs are not for it, empty where they are. `once` are the
    compile calls of what no loop calls, beside what one does.
    """
    if purpose == "edge":
        return _exported(one)
    if one.calls and (beside := [each for each in once if _compiles(each, one)]):
        words = f"leave it eager, or measure: it is called once where a loop calls `{escaped(beside[0].detail)}`"
        return _made(one, "measure", words, ())
    setting = SETTINGS[purpose]
    of = causes(one.breaks, in_loop)
    records = not obstacle and one.state == "graphable"
    now = expected(setting, of, one.asks_for_cuda_graphs, "as it is") if one.graphs.most else None
    fixed = expected(setting, (), one.asks_for_cuda_graphs, "without its breaks") if of else None
    graphs = None if obstacle or one.asks_for_cuda_graphs else expected(setting, (), True, "with CUDA graphs")
    if graphs is not None and not records:
        graphs = Range("with CUDA graphs, when all is fixed", graphs.low, graphs.high)
    if one.failures:
        places = counted(len(one.failures), "place")
        words = f"fix it first: compiling raises at {places}, {_first(one.failures)}"
        return _made(one, "fix", words, [fixed, graphs])
    if not one.graphs.most:
        words = f"leave it eager until {_first(one.breaks)} is fixed: nothing of it stays compiled"
        return _made(one, "eager", words, [fixed, graphs])
    if of and now is not None and now.high < _CLEARLY:
        breaks = f"its {len(of)} breaks a step cost" if len(of) > 1 else "its break costs"
        return _made(one, "eager", f"leave it eager until the breaks are fixed: {breaks} what it gains", [now, fixed])
    if of:
        dearest = f"{counted(len(one.breaks), 'break')}, first {_first(one.breaks)}"
        return _made(one, "fix", f"fix {dearest}, then compile it", [now, fixed, graphs])
    return _whole(one, now, graphs, records, obstacle)


def _compiles(call: Practice, one: Compiled) -> bool:
    """Whether a compile call is the only one of a function."""
    return all((at.path, at.span.line) == (call.location.path, call.location.span.line) for at, _ in one.calls)


def _whole(one: Compiled, now: Range | None, graphs: Range | None, records: bool, obstacle: str) -> Verdict:
    if one.asks_for_cuda_graphs:
        kept = "" if records else f"; {obstacle or 'not all of it is recorded'}"
        return _made(one, "compile" if records else "measure", f"compile it with CUDA graphs, as it asks{kept}", [now])
    if records:
        words = (
            'compile it, with `mode="reduce-overhead"` where the host is the bottleneck (small batches, short kernels)'
        )
        return _made(one, "compile", words, [now, graphs])
    why = obstacle or f"{_first(one.unrecorded)} keeps CUDA graphs from recording it"
    return _made(one, "compile", f"compile it in the default mode: {why}", [now, graphs])


def _exported(one: Compiled) -> Verdict:
    stops = one.failures or one.breaks
    if stops:
        places = counted(len(stops), "place")
        return _made(one, "stopped", f"fix it first: the export stops at {places}, {_first(stops)}", ())
    return _made(one, "export", "export it: nothing was found that stops it", ())


def _first(found: Sequence[Finding]) -> str:
    """`model.py:12 (CL101)`, the dearest."""
    one = found[0]
    name = one.location.path.replace("\\", "/").rpartition("/")[2]
    return f"{escaped(name)}:{one.location.span.line} ({escaped(one.rule.code)})"


def _made(one: Compiled, kind: str, words: str, ranges: Iterable[Range | None]) -> Verdict:
    known = tuple(item for item in ranges if item is not None)
    return Verdict(one.name, one.spec, one.location, kind, words, known)  # type: ignore[arg-type]
