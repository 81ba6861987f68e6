"""`compilelint reproduce`: the smallest stand-alone script that shows a break, recompile, error or difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from compilelint.cli.options import GroupedCommand, under
from compilelint.cli.terminal import CONTEXT, FINDINGS, OK, one_line_errors, say, text
from compilelint.cli.verify import verify

if TYPE_CHECKING:
    from compilelint.session.commands.reproduce import Wanted

WHAT = under("What to show")
LIMITS = under("Limits")
OUTPUT = under("Output")

_OF_VERIFY = frozenset(
    "targets inputs mode search python memory allow_subprocess allow_network allow_writes config isolated".split()
)


@click.command(
    "reproduce",
    cls=GroupedCommand,
    context_settings=CONTEXT,
    short_help="Write the smallest script that shows a break.",
)
@WHAT("--at", type=text, metavar="FILE:LINE", help="What happens at this line: a finding, or an entry of a trace.")
@WHAT("--id", "break_id", type=text, metavar="GBxxxx", help="The break with this id.")
@WHAT("--difference", is_flag=True, help="In what compiled results differ from eager ones.")
@WHAT(
    "--backend",
    type=click.Choice(["aot_eager", "inductor"]),
    help="With --difference: what compiles. [default: inductor]",
)
@WHAT("--trace", "log", type=text, metavar="PATH", help="With --entry: what an entry of `compilelint trace` is about.")
@WHAT("--entry", type=click.IntRange(min=1), metavar="N", help="Number of the entry. [default: 1]")
@LIMITS("--trials", type=click.IntRange(min=1), default=400, show_default=True, help="Candidates to run.")
@LIMITS(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=180.0,
    show_default=True,
    help="Time for reducing.",
)
@OUTPUT("--output", type=text, metavar="FILE", help="Write it to a file instead of the terminal.")
@OUTPUT("-q", "--quiet", is_flag=True, help="Hide progress.")
def reproduce(**given: Any) -> None:
    """Cut out of the project what a target needs, and reduce it under TorchDynamo while it shows the same.

    Targets are named as for `verify`. The script needs nothing else: inputs are shapes with random values (the
    target's own where a condition depends on them), weights are random, project code is cut to what is needed, and its
    head names the versions. THIS RUNS YOUR CODE. The exit code is 1 where no script shows it.
    """
    with one_line_errors():
        raise click.exceptions.Exit(_reproduce(given))


reproduce.params = [*[one for one in verify.params if one.name in _OF_VERIFY], *reproduce.params]


def _reproduce(given: dict[str, Any]) -> int:
    from dataclasses import replace

    from compilelint.cli import requested as asked
    from compilelint.cli.verify import settings_of, targets_of
    from compilelint.session.commands.reproduce import NotReproducedError
    from compilelint.session.commands.reproduce import reproduce as make

    if given["difference"] and (given["at"] or given["break_id"] or given["log"]):
        raise click.UsageError("--difference has no line and no id; leave out --at, --id and --trace")
    if given["backend"] and not given["difference"]:
        raise click.UsageError("--backend is for --difference; breaks and recompiles are the same under each")
    blank = {"regions": (), "max_breaks": None, "max_recompiles": None, "paths": (), "timeout": None, "seeds": ()}
    backend = (given["backend"] or "inductor") if given["difference"] else "eager"
    how = {
        "backend": backend,
        "fullgraph": False,
        "dynamic": None,
        "changes": (),
        "no_parity": not given["difference"],
        "device": "cpu",
    }
    rest = {
        "purpose": "compile",
        "cuda_graphs": False,
        "verbose": False,
        "dynamic_dims": None,
        "repeats": 3,
        "roots": (),
    }
    asked_for = {**given, **blank, **how, **rest}
    options = asked.options(asked_for)
    settings = replace(settings_of(asked_for), locate=given["difference"])
    wanted = _wanted(given, options.paths)
    reasons = []
    for target in targets_of(asked_for, options, "compilelint reproduce"):
        try:
            made = make(target, settings, wanted, _progress(given["quiet"]), given["trials"], given["seconds"])
        except NotReproducedError as error:
            reasons.append(f"{target.label}: {error}")
            continue
        _deliver(made.text, given["output"])
        if not given["quiet"]:
            say(f"{made.lines} lines of code show {made.headline} ({made.trials} trials)")
        return OK
    for reason in reasons:
        say(f"not reproduced: {reason}")
    return FINDINGS


def _progress(quiet: bool) -> Any:
    return (lambda line: None) if quiet else say


def _wanted(given: dict[str, Any], paths: Any) -> Wanted:
    from compilelint.config import UsageError
    from compilelint.session.commands.reproduce import Wanted

    if given["log"] is not None:
        return _of_entry(given)
    if given["difference"]:
        return Wanted(difference=True)
    if given["at"] is None:
        return Wanted(id=given["break_id"] or "")
    path, colon, line = given["at"].rpartition(":")
    if not colon or not line.isdecimal():
        raise UsageError(f"{given['at']!r} names no line", "--at", "write FILE:LINE, as in net.py:12")
    return Wanted(path, int(line), given["break_id"] or "")


def _of_entry(given: dict[str, Any]) -> Wanted:
    """What an entry of a trace is about, at its line in this checkout."""
    from compilelint.config import UsageError
    from compilelint.session.commands.reproduce import Wanted
    from compilelint.session.commands.trace import traced

    entries = traced([given["log"]], ".").entries
    number = given["entry"] or 1
    if number > len(entries):
        raise UsageError(f"the trace has {len(entries)} entries", "--entry", "see `compilelint trace --all`")
    entry = entries[number - 1]
    return Wanted(entry.place.path, entry.place.line, entry.cause.break_id)


def _deliver(script: str, path: str | None) -> None:
    from compilelint.config import UsageError
    from compilelint.disk.write import NotWrittenError, write_text

    if path is None:
        click.echo(script, nl=False)
        return
    try:
        write_text(path, script)
    except NotWrittenError as error:
        raise UsageError(f"cannot write the script: {error.reason}", path, "name another file") from error
