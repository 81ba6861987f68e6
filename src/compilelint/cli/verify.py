"""`compilelint verify`: compile the user's models with the real TorchDynamo and check the findings by what it did."""

from __future__ import annotations

import ast
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from compilelint.cli import requested as asked
from compilelint.cli.execution import place_of
from compilelint.cli.options import GroupedCommand, under
from compilelint.cli.outcome import say_outcome
from compilelint.cli.terminal import (
    CONTEXT,
    FAILURE,
    FINDINGS,
    INTERRUPTED,
    OK,
    colored,
    one_line_errors,
    say,
    text,
    width,
)
from compilelint.keys import TARGET_KEYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilelint.config import Options
    from compilelint.dynamic.protocol import Settings
    from compilelint.dynamic.targets import Target
    from compilelint.fleet.observe import Fleet
    from compilelint.model import Finding, TargetRun
    from compilelint.report.report import Report
    from compilelint.session.commands.verify import Verification


TARGETS = under("Targets and inputs")
COMPILING = under("How they are compiled")
QUESTIONS = under("What to check")
BUDGETS = under("Budgets and limits")
WHERE = under("Where they run")
STATIC = under("Static analysis")
OUTPUT = under("Output")


_KEYS = ", ".join(one.name for one in TARGET_KEYS)
_TABLES = f"""Keys of a [[tool.compilelint.targets]]: {_KEYS}. What each means is in docs/configuration.md.
A factory takes no argument, or those of `arguments`, and returns a module, a function, or a tuple of one and its
inputs: (model, (x,)), or of one and its calls: (model, [((x,), {{"mask": m}})])."""


@click.command(
    cls=GroupedCommand,
    context_settings=CONTEXT,
    epilog=_TABLES,
    short_help="Run TorchDynamo on targets, and check each finding.",
)
@click.argument("targets", nargs=-1, type=text, metavar="[PKG.MOD:NAME]...")
@TARGETS(
    "--input",
    "inputs",
    type=text,
    multiple=True,
    metavar="[NAME=]SHAPE[:DTYPE]",
    help="An argument: 2x3x224x224, ids=2x128:int64, flag=py:True, or pkg.mod:function that makes all. Repeats.",
)
@TARGETS("--dynamic-dims", type=text, metavar="DIMS", help="Dimensions that vary, as in 0,2: makes a second call.")
@TARGETS("--repeats", type=click.IntRange(min=1), default=2, show_default=True, help="Calls with each input set.")
@TARGETS("--seed", "seeds", type=int, multiple=True, metavar="N", help="Compare under this seed. Repeats.")
@TARGETS("--mode", type=click.Choice(["eval", "train"]), help="Train compares gradients too. [default: eval]")
@TARGETS(
    "--path",
    "search",
    type=text,
    multiple=True,
    metavar="FOLDER",
    help="Put FOLDER first on sys.path. [default: ., src, and what pyproject.toml names]",
)
@TARGETS("--python", type=text, metavar="PATH", help="Interpreter that has torch. [default: this one]")
@COMPILING("--region", "regions", type=text, multiple=True, metavar="NAME", help="Compile this submodule only.")
@COMPILING("--backend", type=click.Choice(["eager", "aot_eager", "inductor"]), default="eager", show_default=True)
@COMPILING("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@COMPILING(
    "--cuda-graphs",
    is_flag=True,
    help="Record CUDA graphs, as mode reduce-overhead does, and check the findings about them by what was left out. "
    "Implies --device cuda --backend inductor.",
)
@COMPILING("--fullgraph", is_flag=True, help="Compile with fullgraph=True.")
@COMPILING("--dynamic/--static", default=None, help="Compile with dynamic=True or False. [default: automatic]")
@COMPILING("--set", "changes", type=text, multiple=True, metavar="NAME=VALUE", help="Set torch._dynamo.config.NAME.")
@QUESTIONS("--for", "purpose", type=click.Choice(["compile", "export"]), default="compile", show_default=True)
@QUESTIONS("--what-if", is_flag=True, help="Retry with one change at a time: which one removes which break?")
@QUESTIONS("--no-parity", is_flag=True, help="Do not compare with an eager run.")
@QUESTIONS("--record", type=text, metavar="FILE", help="Write what was seen, for `score` to read.")
@QUESTIONS(
    "--matrix",
    type=text,
    multiple=True,
    metavar="AXIS=VALUES",
    help="Compare torch=2.13,2.15 (versions or paths of environments), mode=eval,train, device=cpu,cuda. Repeats.",
)
@QUESTIONS(
    "--with",
    "packages",
    type=text,
    multiple=True,
    metavar="PACKAGE",
    help="Install this too where --matrix makes an environment. Repeats.",
)
@QUESTIONS("--board", type=text, metavar="FILE", help="Write a row for each target, for `board` to show (.gz too).")
@BUDGETS(
    "--budget",
    type=text,
    metavar="FILE",
    help="Compare with accepted numbers, as in compilelint.lock.json; worse is exit code 1.",
)
@BUDGETS("--update-budget", is_flag=True, help="Write what is better, and new targets, to the file of --budget.")
@BUDGETS("--max-breaks", type=click.IntRange(min=0), metavar="N", help="Breaks allowed per target. [default: 0]")
@BUDGETS(
    "--max-recompiles", type=click.IntRange(min=0), metavar="N", help="Recompiles allowed per target. [default: any]"
)
@BUDGETS("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Limit for each target.")
@BUDGETS("--memory", type=click.IntRange(min=1), metavar="MB", help="Limit for each target.")
@BUDGETS("--allow-subprocess", is_flag=True, help="Let targets start programs.")
@BUDGETS("--allow-network", is_flag=True, help="Let targets use the network.")
@BUDGETS("--allow-writes", is_flag=True, help="Let targets write outside a scratch folder.")
@WHERE(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N", help="Number of worker processes."
)
@WHERE(
    "--executor",
    type=text,
    default="local",
    show_default=True,
    metavar="WHERE",
    help="local, dask (a cluster of --jobs processes), dask://HOST:PORT, or module:factory of an Executor.",
)
@WHERE(
    "--resource",
    "resources",
    type=text,
    multiple=True,
    metavar="NAME=AMOUNT",
    help="What a target needs of a Dask worker, as in GPU=1. Repeats.",
)
@WHERE("--journal", is_flag=True, help="Keep each result as it comes, so that --resume can go on; always so off local.")
@WHERE("--resume", type=text, metavar="RUN", help="Go on with a run: what it has answered is not run again.")
@WHERE("--cache-dir", type=text, metavar="FOLDER", help="Where runs are kept. [default: the user's cache]")
@STATIC("--lint", "paths", type=text, multiple=True, metavar="PATH", help="[default: the files that ran]")
@STATIC("--roots", type=text, multiple=True, metavar="ROOTS", help="As for `check`.")
@STATIC("--config", type=text, multiple=True, metavar="FILE|KEY=VALUE", help="As for `check`.")
@STATIC("--isolated", is_flag=True, help="Read no configuration file.")
@OUTPUT("--output", "outputs", multiple=True, metavar="FORMAT[:PATH]", help="As for `check`. Repeats. [default: full]")
@OUTPUT("--exit-zero", is_flag=True, help="Exit with 0 even if a target is not ready.")
@OUTPUT("-q", "--quiet", is_flag=True, help="Print only the table.")
@OUTPUT("-v", "--verbose", is_flag=True, help="Also where sources disagree, every recompile, printed output.")
@OUTPUT("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def verify(**given: Any) -> None:
    """Run TorchDynamo on targets and mark each finding confirmed, refuted or not reached.

    Targets are named here (a module class, a factory or a function) or in [[tool.compilelint.targets]].
    THIS RUNS YOUR CODE, in processes of its own, which start no program, use no network and write to a scratch folder
    only, unless allowed. That prevents accidents, not malice. The exit code is 1 if a target breaks more often
    than its budget allows, gives other results than eager, or does not run.
    """
    if given["quiet"] and given["verbose"]:
        raise click.UsageError("--quiet and --verbose contradict each other")
    if given["cuda_graphs"] and given["purpose"] == "export":
        raise click.UsageError("--cuda-graphs and --for export contradict each other")
    if given["update_budget"] and not given["budget"]:
        raise click.UsageError("--update-budget writes to the file of --budget; name one")
    with one_line_errors():
        raise click.exceptions.Exit(_verify(given))


def _verify(given: dict[str, Any]) -> int:
    from dataclasses import replace

    from compilelint.cli.matrix import accepted, budget, matrix, write_board
    from compilelint.cli.progress import Slow
    from compilelint.config import parse_outputs
    from compilelint.dynamic.runner import reporting
    from compilelint.session.commands.fleet import fleet_at
    from compilelint.session.commands.verify import verify as run
    from compilelint.session.commands.verify import with_recording
    from compilelint.session.fixing.propose import with_fixes

    outputs = parse_outputs(given["outputs"], "full")
    settings = replace(settings_of(given), locate=not given["no_parity"])
    options = replace(asked.options(given), paths=given["paths"])
    if given["cuda_graphs"]:
        options = with_recording(options)
    targets = targets_of(given, options)
    known = accepted(given["budget"], given["update_budget"]) if given["budget"] else {}
    if given["matrix"]:
        return matrix(targets, settings, options, outputs, given)
    if given["purpose"] == "export":
        return _export(targets, settings, outputs, given)
    done = 0
    stream = _Stream(given["record"]) if given["record"] else None

    def progress(number: int, result: TargetRun) -> None:
        nonlocal done
        done += 1
        slow.done(result.target)
        if stream is not None:
            stream.add(result)
        if len(targets) > 1 and not given["quiet"]:
            said = f"{result.target}: {result.fate.value}, {result.seconds:.1f} s"
            say(f"{done} of {len(targets)}: {said}")

    slow = Slow(say, shown=not given["quiet"])
    with fleet_at(place_of(given, settings), "compilelint verify") as fleet:
        say_run(fleet, given)
        with slow, reporting(lambda target, phase: slow.began(target.label, phase)):
            verification = run(targets, settings, options, progress, fleet)
    if any(output.format != "concise" for output in outputs):
        findings = with_fixes(verification.report.findings)
        verification = replace(verification, report=replace(verification.report, findings=findings))
    _deliver(verification, outputs, given)
    if given["what_if"] and not verification.interrupted:
        _what_if(targets, settings, verification, given)
    if given["record"]:
        _record(verification, given["record"])
    if given["board"]:
        write_board(verification, given["board"])
    if verification.interrupted:
        say(f"interrupted; {done} of {len(targets)} targets are in the report{resumed_by(fleet)}")
        return INTERRUPTED
    ready = verification.ready
    if given["budget"]:
        ready = budget(verification, known, given["budget"], given["update_budget"])
    return OK if ready or given["exit_zero"] else FAILURE if verification.unanswered else FINDINGS


def _deliver(verification: Verification, outputs: Sequence[Any], given: dict[str, Any]) -> None:
    from compilelint.dynamic.unanswered import causes
    from compilelint.report.formats import FOR_PEOPLE, render
    from compilelint.report.layout.failures import of_runs
    from compilelint.report.layout.target_table import readiness, remarks

    report, color = verification.report, colored(given["color"])
    near = report if given["paths"] or given["verbose"] else _reached(report)
    _store(report, outputs)
    for output in outputs:
        if output.path is None:
            people = output.format in FOR_PEOPLE
            if not (people and given["quiet"]):
                joint = near if people else report
                click.echo(render(joint, output.format, color=color, width=width(), summary=False), nl=False)
            if people:
                click.echo(readiness(verification.sides, color=color, width=width()), nl=False, color=color)
    left_out = len(report.findings) - len(near.findings)
    if left_out and not given["quiet"]:
        are = "finding is" if left_out == 1 else "findings are"
        text = f"{left_out} {are} not shown, on lines that no target reached; see --verbose"
        say(f"note: {text}")
    for line in [] if given["quiet"] else remarks(verification.sides, verbose=given["verbose"]):
        say(f"note: {line}")
    for line in causes(report.targets):
        say(f"error: {line}")
    say_outcome(of_runs(report.targets), outputs, given["quiet"])


def _store(report: Report, outputs: Sequence[Any]) -> None:
    """Write the reports that go to files."""
    from compilelint.config import UsageError
    from compilelint.disk.write import NotWrittenError, write_text
    from compilelint.report.formats import render

    for output in outputs:
        if output.path is not None:
            try:
                write_text(output.path, render(report, output.format))
            except NotWrittenError as error:
                what = f"cannot write the report: {error.reason}"
                raise UsageError(what, output.path, "name another file") from error


def _reached(report: Report) -> Report:
    """The report without findings that the runs say nothing of: a user who named no files asked about the targets."""
    from dataclasses import replace

    from compilelint.model import Outcome

    def is_reached(finding: Finding) -> bool:
        return finding.verdict is not None and finding.verdict.outcome is not Outcome.NOT_REACHED

    return replace(report, findings=tuple(one for one in report.findings if is_reached(one)))


# --------------------------------------------------------------------- asking


def targets_of(given: dict[str, Any], options: Options, command: str = "compilelint verify") -> tuple[Target, ...]:
    """Targets of the command line; without any, those of the project, changed by what the command line says."""
    from dataclasses import replace

    from compilelint.config import UsageError
    from compilelint.dynamic.targets import TargetError, input_set, target_of
    from compilelint.session.commands.configured_targets import configured_targets

    try:
        known = configured_targets(options)
        by_name = {one.label: one for one in known}
        found = tuple(by_name.get(word) or target_of(word, command) for word in given["targets"])
        found = found or known
        if not found:
            hint = f"name one, as in `{command} pkg.mod:Model`, or write [[tool.compilelint.targets]]"
            raise UsageError("no target", command, hint)
        inputs = (input_set(given["inputs"], "--input"),) if given["inputs"] else ()
        changes = {
            "inputs": inputs,
            "dynamic_dims": _dims(given["dynamic_dims"]),
            "regions": given["regions"],
            "seeds": given["seeds"],
        }
        changes = {name: value for name, value in changes.items() if value}
        for name in ("mode", "max_breaks", "max_recompiles", "timeout", "memory"):
            if given[name] is not None:
                changes[name] = given[name]
        return tuple(replace(one, **changes) for one in found)
    except TargetError as error:
        raise UsageError(error.what, error.where, error.hint) from error


def _dims(word: str | None) -> tuple[tuple[str, tuple[int, ...]], ...]:
    from compilelint.config import UsageError

    if word is None:
        return ()
    try:
        return (("", tuple(int(part) for part in word.split(","))),)
    except ValueError:
        raise UsageError(f"{word!r} are not dimensions", "--dynamic-dims", "write numbers, as in 0 or 0,2") from None


def settings_of(given: dict[str, Any]) -> Settings:
    """How the targets are run, from the options of `verify` (`compilelint fix` has them too)."""
    from compilelint.dynamic.protocol import Settings
    from compilelint.dynamic.worker.limits import KINDS
    from compilelint.project.import_roots import import_roots

    here = os.getcwd()
    paths = tuple(os.path.abspath(path) for path in given["search"])
    return Settings(
        python=interpreter(given["python"]),
        paths=paths or import_roots(here),
        cwd=here,
        backend="inductor" if given["cuda_graphs"] else given["backend"],
        device="cuda" if given["cuda_graphs"] else given["device"],
        cuda_graphs=given["cuda_graphs"],
        fullgraph=given["fullgraph"],
        dynamic=given["dynamic"],
        config=dict(_change(word) for word in given["changes"]),
        parity=not given["no_parity"],
        repeats=given["repeats"],
        explain=given["verbose"],
        export=given["purpose"] == "export",
        allow=tuple(kind for kind in KINDS if given[f"allow_{kind}"]),
    )


def say_run(fleet: Fleet, given: dict[str, Any]) -> None:
    """Name the run, so that it can be resumed whatever happens to this process."""
    if fleet.journal is not None and not given["quiet"]:
        kept = len(fleet.journal.answers)
        say(f"run {fleet.journal.run}" + (f": {kept} {'answer' if kept == 1 else 'answers'} kept" if kept else ""))


def resumed_by(fleet: Fleet) -> str:
    """How to go on with a run that was interrupted; empty where it has no journal."""
    return "" if fleet.journal is None else f"; go on with --resume {fleet.journal.run}"


def interpreter(path: str | None) -> str:
    """An interpreter, or the one of an environment's folder."""
    if path is None:
        return sys.executable
    if os.path.isdir(path):
        inside = [os.path.join(path, *part) for part in (("bin", "python"), ("Scripts", "python.exe"))]
        return next((one for one in inside if os.path.exists(one)), path)
    return path


def _change(word: str) -> tuple[str, Any]:
    from compilelint.config import UsageError

    name, equals, value = word.partition("=")
    if not equals or not name.isidentifier():
        raise UsageError(f"{word!r} sets nothing", "--set", "write --set capture_scalar_outputs=True")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


# ----------------------------------------------------------------- more to do


def _export(targets: Sequence[Target], settings: Settings, outputs: Sequence[Any], given: dict[str, Any]) -> int:
    """Try each target with `torch.export`, and print what it says."""
    from compilelint.report.formats import FOR_PEOPLE, render
    from compilelint.report.layout.failures import of_runs
    from compilelint.report.layout.target_table import exports
    from compilelint.session.commands.fleet import fleet_at
    from compilelint.session.commands.verify import exported

    with fleet_at(place_of(given, settings), "compilelint verify") as fleet:
        say_run(fleet, given)
        verification = exported(targets, settings, fleet=fleet)
    _store(verification.report, outputs)
    for output in outputs:
        if output.path is None:
            people = output.format in FOR_PEOPLE
            text = exports(verification.report.targets) if people else render(verification.report, output.format)
            click.echo(text, nl=False)
    say_outcome(of_runs(verification.report.targets), outputs, given["quiet"])
    return OK if given["exit_zero"] or verification.ready else FINDINGS


def _what_if(targets: Sequence[Target], settings: Settings, verification: Verification, given: dict[str, Any]) -> None:
    from compilelint.report.layout.target_table import what_if
    from compilelint.session.fixing.what_if import what_if as try_changes

    tries = try_changes(targets, settings, verification)
    click.echo(what_if(tries), nl=False)


class _Stream:
    """A record that grows by a line with each result, so that nothing is lost with the client; the whole replaces it
    in the end.
    """

    def __init__(self, path: str) -> None:
        from compilelint.config import UsageError
        from compilelint.disk.write import NotWrittenError, write_text

        self._path = path
        try:
            write_text(path, "")
        except NotWrittenError as error:
            raise UsageError(f"cannot write the record: {error.reason}", path, "name another file") from error

    def add(self, run: TargetRun) -> None:
        from compilelint.dynamic.record import record

        with open(self._path, "a", encoding="utf-8", errors="backslashreplace") as opened:
            opened.write(record([run]))


def _record(verification: Verification, path: str) -> None:
    from compilelint.config import UsageError
    from compilelint.disk.write import NotWrittenError, write_text
    from compilelint.dynamic.record import record, root_of
    from compilelint.report.layout.text import pasted_path

    runs = [side.run for side in verification.sides]
    try:
        write_text(path, record(runs))
    except NotWrittenError as error:
        raise UsageError(f"cannot write the record: {error.reason}", path, "name another file") from error
    roots = sorted({root_of(run) for run in runs} - {""})
    for root in roots:
        command = f"compilelint score {pasted_path(path)} --root {pasted_path(root)}"
        say(f"note: recorded in {path}; score it with `{command}`")
