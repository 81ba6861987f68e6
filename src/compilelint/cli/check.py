"""`compilelint check`: lint, report, exit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from compilelint.cli.add_ignore import add_ignores
from compilelint.cli.gate_options import gate_options
from compilelint.cli.options import GroupedCommand, renamed, under
from compilelint.cli.progress import Progress, wanted
from compilelint.cli.requested import FILES, JOBS_HELP, options_each, purpose_option, shared_options
from compilelint.cli.terminal import CONTEXT, FINDINGS, OK, colored, linked, one_line_errors, say, shown, text, width
from compilelint.cli.watch import refuse_with_watch, watched
from compilelint.keys import key
from compilelint.report.formats import FOR_PEOPLE, FORMATS

if TYPE_CHECKING:
    from compilelint.config import Options, Output
    from compilelint.model import Notice
    from compilelint.report.report import Report

BACKGROUND = frozenset({"environment", "unresolved", "no-roots"})
"""Kinds of notice that are shown under `--verbose` only."""


FORMATS_HELP = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}, to the terminal or to a file. Repeats. [default: grouped]"
OUTPUT = under("Output")
CHANGES = under("Changes to your files")
RUN = under("Speed")


@click.command(cls=GroupedCommand, context_settings=CONTEXT)
@click.argument("paths", nargs=-1, type=text)
@shared_options
@purpose_option
@FILES(
    "--stdin-filename",
    type=text,
    metavar="NAME",
    help="File name to use for standard input (PATHS is '-' or left out).",
)
@FILES("--show-files", is_flag=True, help="List the files that would be linted, and exit.")
@OUTPUT("--output", "outputs", multiple=True, metavar="FORMAT[:PATH]", help=FORMATS_HELP)
@OUTPUT("--output-format", type=click.Choice(FORMATS), hidden=True)  # ruff's two words for it
@OUTPUT("--output-file", type=text, hidden=True)
@OUTPUT("--statistics", is_flag=True, help="Count findings by rule instead of listing them.")
@OUTPUT(
    "--all",
    "unfolded",
    is_flag=True,
    help="List findings too that the first screen only counts; with --fix or --diff, fix them too.",
)
@OUTPUT("-q", "--quiet", is_flag=True, help="Print only findings.")
@OUTPUT("-v", "--verbose", is_flag=True, help="Show every finding in full, and what the run is based on.")
@OUTPUT("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[default: auto]")
@OUTPUT(
    "--fail-on",
    type=click.Choice(key("fail-on").choices, case_sensitive=False),
    help=key("fail-on").help,
)
@OUTPUT("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@OUTPUT(
    "--trace",
    "traces",
    multiple=True,
    type=text,
    metavar="PATH",
    help="Logs of a run, as for `compilelint trace`: say of each finding whether it was seen, and add what only the "
    "run has. Repeats.",
)
@gate_options
@CHANGES("--add-ignore", metavar="[=REASON]", help="Suppress every finding with a comment.")
@RUN("--jobs", type=click.IntRange(min=1), metavar="N", help=JOBS_HELP)
@RUN(
    "--timeout",
    "lint_timeout",
    type=float,
    metavar="SECONDS",
    help=key("timeout").help,
)
@RUN("--watch", is_flag=True, help="Lint again after every change, until Ctrl-C.")
@RUN("--no-cache", is_flag=True, help="Do not read or write the cache.")
@RUN("--cache-dir", type=text, metavar="PATH", help="Cache folder.")
@CHANGES("--fix", is_flag=True, help="Apply safe fixes, which change no result, then report what is left.")
@CHANGES("--unsafe-fixes", is_flag=True, help="With --fix or --diff: also fixes that may change results.")
@CHANGES(
    "--allow-config",
    is_flag=True,
    help="With --unsafe-fixes: also set switches of torch._dynamo.config in files that compile, for the whole process.",
)
@CHANGES("--diff", is_flag=True, help="Print what --fix would change without writing; exit with 1 if anything would.")
@CHANGES(
    "--commit-message",
    is_flag=True,
    help="With --fix or --diff: print a commit message for each idiom that is rewritten.",
)
@CHANGES("--explain", is_flag=True, hidden=True)  # what it was called
def check(**given: Any) -> None:
    """Lint files and folders (the default command)."""
    if given["quiet"] and given["verbose"]:
        raise click.UsageError("--quiet and --verbose contradict each other")
    if given["fix"] and given["diff"]:
        raise click.UsageError("--fix and --diff contradict each other: one writes, the other only shows")
    if given["unsafe_fixes"] and not (given["fix"] or given["diff"]):
        raise click.UsageError("--unsafe-fixes alone does nothing: add --fix to write, or --diff to look first")
    if given["allow_config"] and not given["unsafe_fixes"]:
        raise click.UsageError("--allow-config alone does nothing: add --unsafe-fixes, and --diff to look first")
    given["commit_message"] = renamed(given, "explain", "commit_message")
    if given["commit_message"] and not (given["fix"] or given["diff"]):
        raise click.UsageError("--commit-message alone does nothing: add --fix to write, or --diff to look first")
    refuse_with_watch(given)
    with one_line_errors():
        raise click.exceptions.Exit(_check(given))


def _check(given: dict[str, Any]) -> int:
    """Lint, once or again and again, and return the exit code."""
    from compilelint.config import parse_outputs

    outputs = parse_outputs((*given["outputs"], *_in_ruffs_words(given)), "full" if given["verbose"] else FOR_PEOPLE[0])
    if given["watch"]:
        return watched(given, outputs, lambda begin: _lint(given, outputs, begin))
    return _lint(given, outputs, lambda: None)


def _in_ruffs_words(given: dict[str, Any]) -> Sequence[str]:
    """The output that `--output-format` and `--output-file` name, as `--output` names it."""
    form, path = given["output_format"], given["output_file"]
    if path is not None:
        return (f"{form or 'full'}:{path}",)
    return () if form is None else (form,)


def _lint(given: dict[str, Any], outputs: Sequence[Output], begin: Callable[[], object]) -> int:
    """Lint, call `begin`, report, and return the exit code."""
    from compilelint.session.commands.lint import files_to_lint, lint
    from compilelint.session.pipeline.unite import united

    each = options_each(given)
    if given["show_files"]:
        for path in sorted({path for options in each for path in files_to_lint(options)}):
            click.echo(shown(path))
        return OK
    if given["verbose"]:
        _say_steps()
    if given["diff"]:
        from compilelint.cli.fix import Leave, diffed

        leave = Leave(given["unsafe_fixes"], given["allow_config"], given["unfolded"])
        changes = [diffed(options, leave, given["commit_message"]) for options in each]
        return FINDINGS if any(changes) and not given["exit_zero"] else OK
    fixes = any(output.format != "concise" for output in outputs)  # a line a finding shows none
    if given["fix"]:
        from compilelint.cli.fix import Leave, fixed_files

        for_a_program = any(output.path is None and output.format not in FOR_PEOPLE for output in outputs)
        leave = Leave(given["unsafe_fixes"], given["allow_config"], given["unfolded"])
        reports = [fixed_files(options, leave, given["commit_message"], for_a_program) for options in each]
        if fixes:
            from compilelint.session.fixing.propose import with_fixes

            reports = [replace(report, findings=with_fixes(report.findings)) for report in reports]
    else:
        with Progress(wanted(given["quiet"], given["verbose"])) as progress:
            keep_alive: list[object] = []
            wanted_fixes = fixes and given["add_ignore"] is None
            reports = [lint(options, progress, keep_alive, fixes=wanted_fixes) for options in each]
    report = united(reports)
    if given["traces"]:
        from compilelint.session.commands.trace import with_trace

        report = with_trace(report, given["traces"])[0]
    if given["add_ignore"] is not None:
        return add_ignores(report, given["add_ignore"].strip())
    begin()
    _deliver(replace(report, unfolded=given["unfolded"]), outputs, given)
    return FINDINGS if _fails(each, reports, report, bool(given["traces"])) and not given["exit_zero"] else OK


def _fails(each: Sequence[Options], reports: Sequence[Report], report: Report, traced: bool) -> bool:
    """Whether a finding is as severe as its configuration says; what only a run has is of no one's files."""
    if traced:
        least = min(options.fail_on for options in each)
        return any(finding.severity >= least for finding in report.findings)
    return any(
        finding.severity >= options.fail_on
        for options, one in zip(each, reports, strict=True)
        for finding in one.findings
    )


def _say_steps() -> None:
    """What the parts of the program log goes to standard error, a line of it at a time made fit to be shown."""
    import logging

    from compilelint.report.layout.text import escaped

    class Shown(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return "\n".join(map(escaped, super().format(record).split("\n")))

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Shown("compilelint: %(name)s: %(message)s"))
    logging.basicConfig(level=logging.DEBUG, handlers=[handler])


def _deliver(report: Report, outputs: Sequence[Output], given: dict[str, Any]) -> None:
    """Write the reports to their files, and the one without a file to the terminal; notices go to stderr."""
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
    if given["statistics"]:
        from compilelint.report.layout.statistics import statistics

        for_a_program = any(output.path is None and output.format not in FOR_PEOPLE for output in outputs)
        click.echo(statistics(report), err=for_a_program)
    for output in outputs:
        if output.path is None and not (given["statistics"] and output.format in FOR_PEOPLE):
            color = colored(given["color"])
            text = render(
                report, output.format, color=color, width=width(), summary=not given["quiet"], links=linked(color)
            )
            click.echo(text, nl=False, color=color)
    for notice in report.notices:
        if not given["verbose"] and (given["quiet"] or notice.kind in BACKGROUND):
            continue
        say(f"note: {notice.text}{_where_noted(notice)}")


def _where_noted(notice: Notice) -> str:
    """` (train.py:31)`: the file, and the line where the notice is about one."""
    if notice.path is None:
        return ""
    cell = "" if notice.cell is None else f":cell {notice.cell}"
    return f" ({shown(notice.path)}{cell}{f':{notice.line}' if notice.line else ''})"
