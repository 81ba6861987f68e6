"""`compilelint bench`: does compiling pay, in which configuration, and what do the findings cost?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from compilelint.cli.options import GroupedCommand, under
from compilelint.cli.outcome import say_outcome
from compilelint.cli.terminal import CONTEXT, FINDINGS, OK, colored, one_line_errors, say, text, width
from compilelint.cli.verify import verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilelint.bench.plan import Plan
    from compilelint.dynamic.targets import Target
    from compilelint.report.report import Report

CONFIGURATIONS = under("What is measured")
LIMITS = under("Limits")
OUTPUT = under("Output")

_OF_VERIFY = frozenset(
    "targets inputs dynamic_dims seeds search python device memory roots isolated "
    "allow_subprocess allow_network allow_writes executor resources".split()
)


def _full(report: Report, color: bool, columns: int | None) -> str:
    from compilelint.report.layout.benches_console import bench_full

    return bench_full(report.benches, color=color, width=columns)


def _json(report: Report, color: bool, columns: int | None) -> str:
    from compilelint.report.layout.benches_json import bench_json

    return bench_json(report.benches)


def _markdown(report: Report, color: bool, columns: int | None) -> str:
    from compilelint.report.layout.benches import bench_markdown

    return bench_markdown(report.benches)


def _html(report: Report, color: bool, columns: int | None) -> str:
    from compilelint.report.formats.html import render

    return render(report)


_FORMATS = {"full": _full, "json": _json, "markdown": _markdown, "html": _html}
"""What renders measurements, by `--output`; what a format needs is imported when it is asked for."""
*_FIRST, _LAST = _FORMATS


@click.command(
    "bench",
    cls=GroupedCommand,
    context_settings=CONTEXT,
    short_help="Measure whether compiling pays, and what findings cost.",
)
@CONFIGURATIONS(
    "--config",
    "config",
    type=text,
    multiple=True,
    metavar="NAME,...",
    help="eager, default, reduce-overhead, max-autotune, max-autotune-no-cudagraphs, with dynamic, regional and amp "
    "joined by +; or FILE|KEY=VALUE as for `check`. [default: default,dynamic,regional, on cuda reduce-overhead too]",
)
@CONFIGURATIONS(
    "--case",
    "cases",
    type=text,
    multiple=True,
    metavar="[WEIGHT@]INPUTS",
    help="A set of inputs and its share of calls: '8@ids=1x1:int64' and '1@ids=1x512:int64'. Repeats.",
)
@CONFIGURATIONS("--train", is_flag=True, help="Time forward, backward and the optimizer's step.")
@CONFIGURATIONS("--quick", is_flag=True, help="A first verdict in a minute: only default, few rounds, no prices.")
@CONFIGURATIONS(
    "--repeats", type=click.IntRange(min=4), default=10, show_default=True, help="Rounds for each configuration."
)
@CONFIGURATIONS(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=0.4,
    show_default=True,
    help="Length of a round, in seconds of eager calls.",
)
@CONFIGURATIONS(
    "--soak", type=click.IntRange(min=20), metavar="N", help="Then run N more calls: does it slow down or recompile?"
)
@CONFIGURATIONS("--no-prices", is_flag=True, help="Do not measure what changes would gain.")
@CONFIGURATIONS(
    "--threads", type=click.IntRange(min=1), metavar="N", help="Threads of torch. [default: torch's own choice]"
)
@LIMITS(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    help="Time limit of a step.",
)
@OUTPUT("--output", "outputs", multiple=True, metavar="FORMAT[:PATH]", help=f"{', '.join(_FIRST)} or {_LAST}. Repeats.")
@OUTPUT("--exit-zero", is_flag=True, help="Exit with 0 even if a target does not run or its results differ.")
@OUTPUT("-q", "--quiet", is_flag=True, help="Hide progress.")
@OUTPUT("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def bench(**given: Any) -> None:
    """Time targets eager and compiled, side by side, and say in words what to do.

    Targets are named as for `verify`. Every configuration has processes of its own and is timed in turns with the
    others; ratios come with 95 % intervals, and what is within the noise is marked so. THIS RUNS YOUR CODE. The exit
    code is 1 if a target does not run, or if compiled results differ.
    """
    if given["inputs"] and given["cases"]:
        raise click.UsageError("--input and --case contradict each other: a case has all inputs of a call")
    with one_line_errors():
        raise click.exceptions.Exit(_bench(given))


bench.params = [*[one for one in verify.params if one.name in _OF_VERIFY], *bench.params]


def _bench(given: dict[str, Any]) -> int:
    from dataclasses import replace

    from compilelint.cli import requested as asked
    from compilelint.cli.execution import place_of
    from compilelint.cli.verify import settings_of, targets_of
    from compilelint.config import UsageError, parse_outputs
    from compilelint.report.layout.failures import of_benches
    from compilelint.session.commands.bench import bench as run
    from compilelint.session.commands.fleet import fleet_at

    outputs = parse_outputs(given["outputs"], "full")
    for output in outputs:
        if output.format not in _FORMATS:
            raise UsageError(f"no measurements in {output.format!r}", "--output", f"use {', '.join(_FORMATS)}")
    names, files = _configurations(given["config"])
    plan = _plan(names, given)
    blank = {"regions": (), "max_breaks": None, "max_recompiles": None, "paths": (), "timeout": None}
    how = {"backend": "inductor", "fullgraph": False, "dynamic": None, "changes": (), "no_parity": False}
    rest = {"purpose": "compile", "cuda_graphs": False, "verbose": False, "mode": "train" if given["train"] else None}
    asked_for = {**given, **blank, **how, **rest, "config": files, "repeats": 2}
    options = replace(asked.options(asked_for), paths=())
    targets = _with_cases(_targets(targets_of(asked_for, options, "compilelint bench")), given["cases"])
    settings = replace(settings_of(asked_for), threads=given["threads"] or 0)

    def progress(line: str) -> None:
        if not given["quiet"]:  # minutes pass: a log shows where they go, too
            say(line)

    quick = given["quick"]
    prices = not (given["no_prices"] or quick)
    where = place_of({**given, "jobs": 1, "resume": None, "journal": False, "cache_dir": None}, settings)
    with fleet_at(where, "compilelint bench", keeps=False) as fleet:
        benched = run(targets, settings, plan, options, progress, prices, runs=not quick, fleet=fleet)
    _deliver(benched.report, outputs, given)
    say_outcome(of_benches(benched.report.benches), outputs, given["quiet"])
    return OK if benched.well or given["exit_zero"] else FINDINGS


def _targets(targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """Whole models: submodules named for verify are not what `regional` measures."""
    from dataclasses import replace

    return tuple(replace(one, regions=()) for one in targets)


def _configurations(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Names of configurations, and what is a file or a `key = value` of the linter's."""
    names: list[str] = []
    files: list[str] = []
    for word in words:
        if "=" in word or word.endswith(".toml") or os.path.isfile(word):
            files.append(word)
        else:
            names += word.split(",")
    return names, tuple(files)


def _plan(names: list[str], given: dict[str, Any]) -> Plan:
    from compilelint.bench.plan import Plan, PlanError, configs_from, default_names, quick
    from compilelint.config import UsageError

    device = given["device"]
    try:
        unasked = ("default",) if given["quick"] else default_names(device)
        configs = configs_from(names or unasked, device)
    except PlanError as error:
        raise UsageError(error.what, "--config", error.hint) from error
    plan = Plan(configs, given["repeats"], given["seconds"], given["soak"] or 0, given["timeout"])
    return quick(plan) if given["quick"] else plan


def _with_cases(targets: tuple[Target, ...], cases: Sequence[str]) -> tuple[Target, ...]:
    """The targets, called as the cases say, each as often as its weight."""
    from dataclasses import replace

    from compilelint.config import UsageError
    from compilelint.dynamic.targets import TargetError, input_set

    if not cases:
        return targets
    sets = []
    for case in cases:
        weight, at, words = case.rpartition("@")
        try:
            share = float(weight) if at else 1.0
        except ValueError:
            share = 0.0
        if not 0 < share < float("inf"):
            raise UsageError(f"{weight!r} is not a weight", f"--case {case}", "write a number above 0, as in 8@2x16")
        try:
            sets.append(replace(input_set(words.split(), f"--case {case}"), weight=share))
        except TargetError as error:
            raise UsageError(error.what, error.where, error.hint) from error
    return tuple(replace(one, inputs=tuple(sets)) for one in targets)


def _deliver(report: Report, outputs: Sequence[Any], given: dict[str, Any]) -> None:
    from compilelint.config import UsageError
    from compilelint.disk.write import NotWrittenError, write_text

    for output in outputs:
        if output.path is None:
            color = colored(given["color"])
            click.echo(_FORMATS[output.format](report, color, width()), nl=False, color=color)
            continue
        try:
            write_text(output.path, _FORMATS[output.format](report, False, None))
        except NotWrittenError as error:
            what = f"cannot write the report: {error.reason}"
            raise UsageError(what, output.path, "name another file") from error
