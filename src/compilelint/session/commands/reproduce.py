"""Reproduce on one page: run a target, choose what to show, slice the project, reduce by trials.

Runs the user's code, in workers. Raises UsageError where the request cannot be carried out, NotReproducedError where no
stand-alone script shows the same.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from compilelint.config import UsageError
from compilelint.disk.read import NotReadError, read_bytes
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target
from compilelint.model import Fate, TargetRun
from compilelint.reproduce import difference
from compilelint.reproduce.reduced import Reduction
from compilelint.reproduce.script import LOGS, NoInputsError, described, finished, scripts_of, written
from compilelint.reproduce.sliced import NotSlicedError, Slicer
from compilelint.reproduce.trial import SECONDS, NoTrialError, Shown, Sign, Trials
from compilelint.trace.guards import failure_of

_MOST_BYTES = 5_000_000
_SECONDS_OF_INDUCTOR = 120.0  # a trial starts a C++ compiler
_NEEDS_GRADIENTS = "does not require grad"
# What Python says where a candidate calls a class as its instance, a function as a factory, and so on.
_MISUSE = re.compile(
    r"TypeError: .*(positional argument|required keyword|unexpected keyword|not (callable|subscriptable|iterable))"
)
_NO_FILE = re.compile(r"FileNotFoundError|No such file or directory")


class NotReproducedError(Exception):
    """No script shows it; the text says why."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be shown: the first of the run, or the one at a line of a file, or the one with an id; or a
    `difference` from eager, for which the settings compare.
    """

    path: str = ""
    line: int = 0
    id: str = ""
    difference: bool = False


@dataclass(frozen=True, slots=True)
class Reproducer:
    """The script, what it shows, and how many trials it took."""

    text: str
    sign: Sign
    headline: str
    trials: int
    torch: str

    @property
    def lines(self) -> int:
        """Lines of code, without the comments at its head."""
        return sum(bool(line.strip()) and not line.startswith("#") for line in self.text.splitlines())


def reproduce(
    target: Target,
    settings: Settings,
    wanted: Wanted,
    progress: Callable[[str], None],
    trials: int = 400,
    seconds: float = 180.0,
) -> Reproducer:
    """The smallest script found that shows what a target's run showed. Raises UsageError and NotReproducedError."""
    if not hasattr(os, "fork"):
        raise UsageError("this system cannot fork a process", "compilelint reproduce", "run it on Linux or macOS")
    progress(f"running {target.label}")
    (run,) = observe([target], settings)
    if run.fate is Fate.EAGER_ERROR and _NEEDS_GRADIENTS in run.detail and target.mode != "train":
        progress(f"running {target.label} with gradients, which it needs")
        target = replace(target, mode="train")
        (run,) = observe([target], settings)
    signs = list(_differences(run, settings.backend) if wanted.difference else _signs(run, wanted))
    if not signs:
        raise NotReproducedError(_nothing(run, wanted))
    sign, headline = signs[0]
    module, name, find = _place_of(target, settings)
    try:
        patience = _SECONDS_OF_INDUCTOR if settings.backend == "inductor" else SECONDS
        with Trials(settings.python, settings.paths if not find(module) else (), patience) as runner:
            slicer = Slicer(find, lambda one: _file(settings, one).endswith("__init__.py"))
            return _reduced(slicer, (module, name), target, run, sign, headline, runner, progress, trials, seconds)
    except NoTrialError as error:
        raise UsageError(str(error), "compilelint reproduce", "name an interpreter with torch: --python") from error
    except (NotSlicedError, NoInputsError) as error:
        raise NotReproducedError(str(error)) from error


def _reduced(
    slicer: Slicer,
    named: tuple[str, str],
    target: Target,
    run: TargetRun,
    sign: Sign,
    headline: str,
    runner: Trials,
    progress: Callable[[str], None],
    trials: int,
    seconds: float,
) -> Reproducer:
    own = target.inputs[0].inputs if target.inputs and not target.inputs[0].function else ()
    given = [written(one) for one in own] or _described(run)
    function = target.inputs[0].function if target.inputs else ""
    maker = _named(function) if function else None
    furthest, last = (False, 0), ""
    how = (slicer, named, given, maker, target.arguments, target.mode == "train")
    differs = sign.kind == "difference"
    for candidate in difference.candidates_of(*how, sign.id) if differs else scripts_of(*how):
        found, shown = _tried(candidate, sign, runner)
        if found:
            break
        how_far = (_MISUSE.search(shown.error) is None, shown.line)
        if shown.error and how_far > furthest:  # the others did not use the target as it is meant
            furthest, last = how_far, shown.error
    else:
        why = f": {last}" if last else ", though it runs to its end"
        if _NO_FILE.search(last):
            why += "; a script by itself has no files: let the target make what it reads"
        raise NotReproducedError(f"the code cut out of the project does not show it{why}")
    progress(f"reducing {len(candidate.splitlines())} lines that show {headline}")
    ending = difference.comparison(sign.id, candidate) if differs else ""
    reduction = Reduction(lambda text: ending in text and _tried(text, sign, runner)[0], trials, seconds)
    text = reduction.reduce(candidate)
    whole = finished(text, headline, runner.torch, platform.python_version(), "" if differs else LOGS)
    return Reproducer(whole, sign, headline, reduction.trials, runner.torch)


def _tried(text: str, sign: Sign, runner: Trials) -> tuple[bool, Shown]:
    """Whether a script shows it, and what it showed."""
    if sign.kind == "difference":
        return difference.shows(text, runner.run)
    shown = runner.run(text)
    return sign.is_in(shown), shown


def _named(reference: str) -> tuple[str, str]:
    """The module and the name of `pkg.mod:function`."""
    where, _, name = reference.rpartition(":")
    return where.removesuffix(".py"), name


def _described(run: TargetRun) -> list[tuple[str, str]] | None:
    """The inputs of a run as code; None where they are no code, so that only a factory can make them."""
    try:
        return [described(one) for one in run.inputs]
    except NoInputsError:
        return None


# ------------------------------------------------------------- what to reproduce


def _signs(run: TargetRun, wanted: Wanted) -> Iterator[tuple[Sign, str]]:
    """What a run showed that fits, the first of each kind first."""
    for one in run.own_breaks:
        at = _is_at(wanted, one.path, one.first_line, one.end_line)
        if at and wanted.id in ("", one.break_id):
            yield Sign("break", one.break_id, one.words), f"Graph break {one.break_id}: {one.words}".replace(" :", ":")
    for again in run.recompiles if not wanted.id else ():
        place = again.source
        here = _is_at(wanted, again.path, again.line, again.line)
        if here or (place is not None and _is_at(wanted, place.path, place.line, place.line)):
            failure = failure_of(again.guards[0]) if again.guards else None
            if failure is not None:
                yield Sign("recompile", failure.kind, failure.source), f"Recompiles: {failure.text}"
    if run.fate is Fate.COMPILE_ERROR and not wanted.path:
        name, _, rest = run.detail.partition(": ")
        first = rest.partition("\n")[0]
        yield Sign("error", name.rpartition(".")[2], first), f"{name}: {first}"


def _differences(run: TargetRun, backend: str) -> Iterator[tuple[Sign, str]]:
    """In what results differ; a script compares results alone."""
    for one in run.parity.divergences if run.parity is not None else ():
        words = f"{one.name} differs between eager and {backend}: {one.text}"
        if one.kind != "output":
            raise NotReproducedError(f"a script compares results alone, and {words}")
        yield Sign("difference", backend, one.name), words


def _is_at(wanted: Wanted, path: str, first: int, last: int) -> bool:
    if not wanted.path:
        return True
    same = os.path.realpath(path) == os.path.realpath(wanted.path)
    return same and (not wanted.line or first <= wanted.line <= last)


def _nothing(run: TargetRun, wanted: Wanted) -> str:
    if run.fate not in (Fate.RAN, Fate.COMPILE_ERROR):
        return f"{run.target} does not run ({run.fate.value}): {run.detail.partition(chr(10))[0]}"
    if wanted.difference:
        why = run.parity.unknown if run.parity is not None else ""
        return f"{run.target} gives the same as eager" + (f", as far as is known: {why}" if why else "")
    where = f" at {wanted.path}:{wanted.line}" if wanted.path else ""
    return f"{run.target} shows no {wanted.id or 'break and no recompile'}{where}"


# ------------------------------------------------------------------ the project


def _place_of(target: Target, settings: Settings) -> tuple[str, str, Callable[[str], str | None]]:
    """The module and the name of a target, and what reads modules of the project."""
    where, _, name = target.model.rpartition(":")
    texts: dict[str, str] = {}
    if where.endswith(".py"):
        module = os.path.splitext(os.path.basename(where))[0]
        texts[module] = where
        beside = os.path.dirname(os.path.abspath(os.path.join(settings.cwd, where)))
    else:
        module, beside = where, ""

    def find(one: str) -> str | None:
        path = texts.get(one) or _file(settings, one, beside)
        try:
            return read_bytes(path, _MOST_BYTES).decode("utf-8", "replace") if path else None
        except NotReadError:
            return None

    return module, name, find


def _file(settings: Settings, module: str, beside: str = "") -> str:
    """The project's file of a module; empty for what comes from elsewhere."""
    parts = module.split(".")
    if not all(part.isidentifier() for part in parts):
        return ""
    for folder in filter(None, (*settings.paths, beside)):
        path = os.path.join(folder, *parts)
        for file in (f"{path}.py", os.path.join(path, "__init__.py")):
            if os.path.isfile(file):
                return file
    return ""
