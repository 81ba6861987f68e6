"""The command line: the only place that prints, exits or reads argv.

Everything but click is imported where it is needed, so that `--help` answers at once. Exit codes: 0 nothing at or above
`--fail-on`, 1 findings, 2 a request that cannot be carried out or a defect of compilelint itself.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

import click

from compilelint import __version__

if TYPE_CHECKING:
    from compilelint.config import Options, Output
    from compilelint.report import Report

OK, FINDINGS, FAILURE = 0, 1, 2
INTERRUPTED = 130
BACKGROUND = frozenset({"environment", "unresolved", "no-roots"})
"""Kinds of notice that are told under `--verbose` only."""


class DefaultGroup(click.Group):
    """`compilelint src` is `compilelint check src`; a folder called like a command is named as `./rule`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = (*self.commands, "--help", "-h", "--version")
        if args and args[0] not in own:
            args = ["check", *args]
        return super().parse_args(ctx, args)


def words(value: str) -> tuple[str, ...]:
    """Codes, families and names, separated by commas."""
    found = tuple(word.strip() for word in value.split(",") if word.strip())
    if not found:
        raise click.BadParameter("an empty list; name codes, families or names, as in CL101,CL2,host-read")
    return found


def text(value: str) -> str:
    """A text that is not empty."""
    if not value.strip():
        raise click.BadParameter("an empty text")
    return value


_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group(cls=DefaultGroup, context_settings=_CONTEXT, no_args_is_help=False, invoke_without_command=True)
@click.version_option(__version__, message="compilelint %(version)s")
@click.pass_context
def app(ctx: click.Context) -> None:
    """Find the lines of PyTorch code that keep torch.compile from capturing one fast graph.

    `compilelint PATHS` is short for `compilelint check PATHS`. torch is not imported, and no linted code is run.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@app.command(context_settings=_CONTEXT)
@click.argument("paths", nargs=-1, type=text)
@click.option("--select", type=words, multiple=True, metavar="RULES", help="Only these: CL101, CL1, host-read, ...")
@click.option("--extend-select", type=words, multiple=True, metavar="RULES", help="These too.")
@click.option("--ignore", type=words, multiple=True, metavar="RULES", help="Not these.")
@click.option(
    "--min-confidence",
    type=click.Choice(["certain", "likely", "possible"], case_sensitive=False),
    default="likely",
    show_default=True,
    help="Report findings that are at least this sure.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note"], case_sensitive=False),
    default="warning",
    show_default=True,
    help="Exit with 1 if there is a finding of this severity or worse.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option(
    "--roots",
    type=text,
    multiple=True,
    metavar="ROOTS",
    help="What gets compiled: auto, explicit, all, or a glob such as 'pkg.mod:Class.method'. Repeats. [default: auto]",
)
@click.option(
    "--torch-version",
    type=text,
    metavar="VERSION",
    help="Whose behaviour is predicted: 2.9, or all of '>=2.6,<2.11'. [default: the one installed or required]",
)
@click.option("--python", type=text, metavar="PATH", help="Interpreter or environment in which imports are looked up.")
@click.option(
    "--follow-imports",
    type=click.Choice(["all", "project", "none"]),
    default="all",
    show_default=True,
    help="Which imported sources are read.",
)
@click.option("--exclude", type=text, multiple=True, metavar="PATTERN", help="Leave out, as in .gitignore.")
@click.option("--force-exclude", is_flag=True, help="Exclude files even if they are named.")
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="FORMAT[:PATH]",
    help="full, concise or json, to the terminal or to a file. Repeats. [default: full]",
)
@click.option("--statistics", is_flag=True, help="Count findings by rule instead of listing them.")
@click.option("--show-files", is_flag=True, help="List the files that would be linted, and stop.")
@click.option("-q", "--quiet", is_flag=True, help="Findings only.")
@click.option("-v", "--verbose", is_flag=True, help="Say what the run was based on.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), default=1, metavar="N", help="Number of processes.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write results of earlier runs.")
@click.option("--cache-dir", type=text, metavar="PATH", help="Where results of earlier runs lie.")
def check(**given: Any) -> None:
    """Lint files and folders (the default command)."""
    if given["quiet"] and given["verbose"]:
        raise click.UsageError("--quiet and --verbose contradict each other")
    with _one_line_errors():
        raise click.exceptions.Exit(_check(given))


def _check(given: dict[str, Any]) -> int:
    """Lint, report, and return the exit code."""
    from compilelint.config import parse_outputs
    from compilelint.session import files_to_lint, lint

    options = _options(given)
    outputs = parse_outputs(given["outputs"])
    if given["show_files"]:
        for path in files_to_lint(options):
            click.echo(_shown(path))
        return OK
    if given["verbose"]:
        import logging

        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, format="compilelint: %(name)s: %(message)s")
    report = lint(options)
    _deliver(report, outputs, given)
    failing = any(finding.severity >= options.fail_on for finding in report.findings)
    return FINDINGS if failing and not given["exit_zero"] else OK


def _options(given: dict[str, Any]) -> Options:
    """What click parsed, as options."""
    from compilelint.config import Options
    from compilelint.model import Confidence, Severity

    def listed(name: str) -> tuple[str, ...]:
        return tuple(word for part in given[name] for word in part)

    return Options(
        paths=given["paths"] or (".",),
        roots=given["roots"] or ("auto",),
        torch_version=given["torch_version"],
        python=given["python"],
        follow_imports=given["follow_imports"],
        min_confidence=Confidence[given["min_confidence"].upper()],
        fail_on=Severity[given["fail_on"].upper()],
        select=listed("select"),
        extend_select=listed("extend_select"),
        ignore=listed("ignore"),
        exclude=given["exclude"],
        force_exclude=given["force_exclude"],
        jobs=given["jobs"],
        no_cache=given["no_cache"],
        cache_dir=given["cache_dir"],
    )


def _deliver(report: Report, outputs: Sequence[Output], given: dict[str, Any]) -> None:
    """Write the reports to their files, and the one without a file to the terminal; notices go to stderr."""
    from compilelint.config import UsageError
    from compilelint.report.formats import render, write_file

    for output in outputs:
        if output.path is not None:
            try:
                write_file(output.path, render(report, output.format))
            except OSError as error:
                told = error.strerror or str(error)
                raise UsageError(f"cannot write the report: {told}", output.path, "name another file") from error
    if given["statistics"]:
        from compilelint.report.console import statistics

        for_a_program = any(output.path is None and output.format == "json" for output in outputs)
        click.echo(statistics(report), err=for_a_program)
    for output in outputs:
        if output.path is None and not (given["statistics"] and output.format in ("full", "concise")):
            colored = _colored(given["color"])
            told = render(report, output.format, color=colored, width=_width(), summary=not given["quiet"])
            click.echo(told, nl=False, color=colored)
    for notice in report.notices:
        if not given["verbose"] and (given["quiet"] or notice.kind in BACKGROUND):
            continue
        where = f" ({_shown(notice.path)})" if notice.path else ""
        click.echo(f"compilelint: note: {notice.text}{where}", err=True)


_COLOR = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
_FORMAT = click.option(
    "--output", type=click.Choice(["full", "json"]), default="full", show_default=True, help="For people or programs."
)


@app.command(context_settings=_CONTEXT)
@click.argument("word", required=False, type=text, metavar="CODE|NAME|GBxxxx")
@click.option("--list", "every", is_flag=True, help="Name all rules.")
@click.option("--torch-version", type=text, metavar="VERSION", help="Whose break ids are meant. [default: the newest]")
@_FORMAT
@_COLOR
def rule(word: str | None, every: bool, torch_version: str | None, output: str, color: str) -> None:
    """Show the page of a rule, or what a graph-break id of torch means and which rules find it."""
    with _one_line_errors():
        if word is not None and word[:2].upper() == "GB" and word[2:].isdigit():
            _break_id(f"GB{int(word[2:]):04}", torch_version, output, color)
        else:
            _rule(word, every, output, color)


def _rule(word: str | None, every: bool, output: str, color: str) -> None:
    from compilelint import checks
    from compilelint.config import named
    from compilelint.report.history import rules_json
    from compilelint.rulebook import RulebookError, pages

    book = checks.rulebook()
    if every or word is None:
        if output == "json":
            click.echo(rules_json(book.rules), nl=False)
        else:
            for one in book.rules:
                click.echo(f"{one.code}  {one.name:<28} {one.summary}")
        return
    found = book.rule(word) or named(book.rules, [word], "compilelint rule")[0]
    page = pages().get(found.code)
    if page is None:
        raise RulebookError(f"{found.code} {found.name} has no page", "rules/", "reinstall compilelint")
    if output == "json":
        click.echo(rules_json([found], page.text), nl=False)
    elif _colored(color):
        from compilelint.report.console import markdown

        click.echo(markdown(page.text, _width() or 80), color=True)
    else:
        click.echo(page.text.rstrip("\n"))


def _break_id(gb_id: str, torch_version: str | None, output: str, color: str) -> None:
    """What `compilelint rule GB0170` shows."""
    from compilelint import checks
    from compilelint.config import UsageError
    from compilelint.report import history
    from compilelint.torchfacts import available, load

    facts = load(torch_version or available()[-1])
    entry = facts.graph_break(gb_id)
    if entry is None:
        known = [version for version in available() if load(version).graph_break(gb_id) is not None]
        mend = f"torch {', '.join(known)} have it" if known else "no version has it; ids look like GB0170"
        raise UsageError(f"torch {facts.version} has no graph break {gb_id}", f"compilelint rule {gb_id}", mend)
    rules = [one for one in checks.rulebook().rules if entry.reason.value in one.breaks]
    if output == "json":
        click.echo(history.break_json(entry, facts.version, rules), nl=False)
    else:
        colored = _colored(color)
        click.echo(history.break_page(entry, facts.version, rules, colored), nl=False, color=colored)


@app.group(context_settings=_CONTEXT, no_args_is_help=False, invoke_without_command=True)
@click.pass_context
def facts(ctx: click.Context) -> None:
    """Ask the measured tables: what torch does with a name, and what changes between two versions."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@facts.command("show", context_settings=_CONTEXT)
@click.argument("name", type=text)
@_FORMAT
@_COLOR
def show_facts(name: str, output: str, color: str) -> None:
    """What Dynamo does with NAME (such as torch.Tensor.item, time.time, nn.LSTM) in every version."""
    from compilelint.config import UsageError
    from compilelint.report import history
    from compilelint.torchfacts import facts_row, nearest_names

    with _one_line_errors():
        rows = facts_row(name)
        if not rows:
            alike = ", ".join(nearest_names(name))
            mend = f"did you mean {alike}?" if alike else "give the dotted name of its documentation"
            raise UsageError(f"nothing is known about {name!r}", "compilelint facts show", mend)
        if output == "json":
            click.echo(history.row_json(name, rows), nl=False)
        else:
            click.echo(history.row_page(rows, _colored(color)), nl=False, color=_colored(color))


@facts.command("diff", context_settings=_CONTEXT)
@click.argument("before", type=text)
@click.argument("after", type=text)
@click.argument("paths", nargs=-1, type=text)
@click.option("--roots", type=text, multiple=True, metavar="ROOTS", help="As for `check`. [default: auto]")
@click.option("--python", type=text, metavar="PATH", help="As for `check`.")
@_FORMAT
@_COLOR
def diff_facts(
    before: str,
    after: str,
    paths: tuple[str, ...],
    roots: tuple[str, ...],
    python: str | None,
    output: str,
    color: str,
) -> None:
    """Names that torch treats otherwise in version AFTER; with PATHS, findings that the upgrade adds or removes.

    With PATHS the exit code is 1 if the upgrade adds a finding.
    """
    with _one_line_errors():
        if paths:
            code = _upgrade(before, after, paths, roots or ("auto",), python, output, _colored(color))
            raise click.exceptions.Exit(code)
        _difference(before, after, output, _colored(color))


def _difference(before: str, after: str, output: str, colored: bool) -> None:
    from compilelint.report import history
    from compilelint.torchfacts import facts_diff

    first, second = _known(before), _known(after)
    found = facts_diff(before, after)
    if output == "json":
        click.echo(history.diff_json(first, second, found), nl=False)
    else:
        click.echo(history.diff_page(first, second, found, colored), nl=False, color=colored)


def _known(version: str) -> str:
    """The shipped version that stands for the one asked for; says so where it is another one."""
    from compilelint.torchfacts import load

    facts = load(version)
    if not facts.exact:
        click.echo(f"compilelint: note: no facts for torch {version}; those of {facts.version} are used", err=True)
    return facts.version


def _upgrade(
    before: str,
    after: str,
    paths: tuple[str, ...],
    roots: tuple[str, ...],
    python: str | None,
    output: str,
    colored: bool,
) -> int:
    """Lint the paths for both versions and compare."""
    from compilelint.config import Options
    from compilelint.report import history
    from compilelint.session import lint

    versions = _known(before), _known(after)
    old, new = (
        lint(Options(paths, roots=roots, torch_version=version, python=python)).findings for version in versions
    )
    found = history.Upgrade.between(*versions, old, new)
    if output == "json":
        click.echo(history.upgrade_json(found), nl=False)
    else:
        click.echo(history.upgrade_page(found, colored), nl=False, color=colored)
    return FINDINGS if found.added else OK


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run a command line and exit."""
    sys.excepthook = _defect
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal without the character gets its number
    sys.exit(run(list(sys.argv[1:] if argv is None else argv)))


def run(argv: list[str]) -> int:
    """The exit code of a command line; what is wrong with the request is one line on stderr."""
    try:
        code = app.main(argv, prog_name="compilelint", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        click.echo(f"compilelint: error: {_one_line(error)}", err=True)
        return FAILURE
    except click.Abort:
        click.echo("compilelint: interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has seen enough (`| head`); keep the interpreter from flushing into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINDINGS
    return code if isinstance(code, int) else OK


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn what our own layers refuse into click's error, which `run` prints."""
    from compilelint.config import UsageError
    from compilelint.rulebook import RulebookError
    from compilelint.torchfacts import FactsError

    try:
        yield
    except (UsageError, RulebookError, FactsError) as error:
        raise click.ClickException(str(error)) from error


def _one_line(error: click.ClickException) -> str:
    """`what (where); mend`; what click itself refuses gets the command as its place."""
    text = " ".join(error.format_message().split()).rstrip(".")
    if not isinstance(error, click.UsageError):
        return text
    command = error.ctx.command_path if error.ctx is not None else "compilelint check"
    mend = f"see `{command} --help`"
    if isinstance(error, click.NoSuchOption):
        text = f"no such option {error.option_name}"
        mend = f"did you mean {' or '.join(error.possibilities)}?" if error.possibilities else mend
    return f"{text[:1].lower()}{text[1:]} ({command}); {mend}"


def _defect(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The hook for exceptions nobody foresaw: the traceback, one line, and exit code 2, since 1 means findings."""
    sys.__excepthook__(kind, error, trace)
    click.echo("compilelint: error: this is a defect of compilelint (above); please report it", err=True)
    raise SystemExit(FAILURE)


def _colored(choice: str) -> bool:
    """Whether stdout gets colours: as told, else if it is a terminal and `NO_COLOR` is not set."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _width() -> int | None:
    """Columns of the terminal; None where lines must not be wrapped because a file or a program reads them."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _shown(path: str) -> str:
    from compilelint.report.text import shown_path

    return shown_path(path)
