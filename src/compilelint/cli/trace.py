"""`compilelint trace`: what a run that is over says about its compiling, and what to write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from compilelint.cli.options import GroupedCommand, under
from compilelint.cli.outcome import say_outcome
from compilelint.cli.terminal import CONTEXT, FINDINGS, OK, colored, one_line_errors, say, text, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilelint.config import Output
    from compilelint.trace.entry import TraceReport

OWN = ("full", "json", "html")
OF_FINDINGS = ("concise", "github", "gitlab", "junit", "markdown", "sarif")
_MOST = 20
INPUT = under("The run")
OUTPUT = under("Output")


@click.command("trace", cls=GroupedCommand, context_settings=CONTEXT, short_help="Read the logs of a run that is over.")
@click.argument("paths", nargs=-1, required=True, type=text, metavar="PATH...")
@INPUT(
    "--checkout",
    type=text,
    default=".",
    show_default=True,
    metavar="FOLDER",
    help="Where the job's source is here; its paths are matched by their ends, its lines by their text.",
)
@INPUT("--against", multiple=True, type=text, metavar="PATH", help="Logs of an older run: what changed since. Repeats.")
@INPUT(
    "--lint/--no-lint",
    default=None,
    help="Lint the whole checkout, and list findings that the run did not show; or nothing. [default: the files that "
    "have a cause]",
)
@OUTPUT(
    "--output",
    "outputs",
    multiple=True,
    type=text,
    metavar="FORMAT[:PATH]",
    help=f"{', '.join(OWN)}, {', '.join(OF_FINDINGS[:-1])} or {OF_FINDINGS[-1]}. Repeats. [default: full]",
)
@OUTPUT("--all", "everything", is_flag=True, help=f"Show every cause; without it the {_MOST} most expensive.")
@OUTPUT("--exit-zero", is_flag=True, help="Exit with 0 even if the run broke or recompiled.")
@OUTPUT("-q", "--quiet", is_flag=True, help="Print only the report.")
@OUTPUT("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
def trace(**given: Any) -> None:
    """Show what a run compiled, broke and recompiled, on your lines, with what to write instead.

    PATH is what `TORCH_TRACE=DIR` wrote (files or the folder, also .gz), a `tl_out` of tlparse, or text that
    `TORCH_LOGS=graph_breaks,recompiles` printed, copied from a terminal or CI. Give all ranks at once. Causes are
    ordered by the seconds they cost. torch is not imported, and nothing that a log names is opened or run. The exit
    code is 1 if anything broke, recompiled or failed.
    """
    with one_line_errors():
        raise click.exceptions.Exit(_trace(given))


def _trace(given: dict[str, Any]) -> int:
    from compilelint.config import UsageError, parse_outputs
    from compilelint.session.commands.trace import files_with_causes, joined, traced, with_rewrites

    outputs = parse_outputs(given["outputs"], "full")
    for output in outputs:
        if output.format not in (*OWN, *OF_FINDINGS):
            raise UsageError(f"no traces in {output.format!r}", "--output", f"use {', '.join((*OWN, *OF_FINDINGS))}")
    report = traced(given["paths"], given["checkout"], given["against"])
    if given["lint"]:
        report = joined(report, _lint((given["checkout"],), {}))
    elif given["lint"] is None and (paths := files_with_causes(report)):
        try:
            linted = _lint(paths, {"min-confidence": "possible"})  # the run has shown that something happens
            report = joined(report, linted, whole=False)
        except UsageError as error:  # that was not asked for: the log is shown without it
            say(f"note: the files of the run were not linted: {error}")
    _deliver(with_rewrites(report), outputs, given)
    say_outcome((), outputs, given["quiet"])
    return FINDINGS if report.entries and not given["exit_zero"] else OK


def _lint(paths: Sequence[str], said: dict[str, Any]) -> Any:
    from compilelint import checks
    from compilelint.config import settle
    from compilelint.session.commands.lint import lint

    return lint(settle(paths, said, checks.rulebook((), paths).rules).options)


def rendered(report: TraceReport, form: str, name: str, *, color: bool, columns: int | None, most: int) -> str:
    """The report in one format; what a format needs is imported when it is asked for."""
    if form == "full":
        from compilelint.report.layout.traces_console import trace_full

        return trace_full(report, color=color, width=columns, most=most)
    if form == "json":
        from compilelint.report.layout.traces_json import trace_json

        return trace_json(report)
    if form == "html":
        from compilelint.report.layout.traces_html import trace_html

        return trace_html(report)
    from compilelint.report.formats import render
    from compilelint.session.commands.trace import as_report

    return render(as_report(report, name), form, color=color, width=columns)


def _deliver(report: TraceReport, outputs: Sequence[Output], given: dict[str, Any]) -> None:
    import os

    from compilelint.config import UsageError
    from compilelint.disk.write import NotWrittenError, write_text

    name = ", ".join(os.path.basename(path.rstrip("/\\")) for path in given["paths"])
    most = 0 if given["everything"] else _MOST
    for output in outputs:
        color = output.path is None and colored(given["color"])
        columns = width() if output.path is None else None
        made = rendered(report, output.format, name, color=color, columns=columns, most=most)
        if output.path is None:
            click.echo(made, nl=False, color=color)
            continue
        try:
            write_text(output.path, made)
        except NotWrittenError as error:
            what = f"cannot write the report: {error.reason}"
            raise UsageError(what, output.path, "name another file") from error
