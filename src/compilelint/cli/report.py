"""`compilelint report`: the readiness of a project on one page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from compilelint.cli.options import GroupedCommand, under
from compilelint.cli.progress import Progress, wanted
from compilelint.cli.requested import DEPLOYMENTS, JOBS_HELP, deployment_option, options_each, shared_options
from compilelint.cli.terminal import CONTEXT, OK, colored, linked, one_line_errors, say, shown, text, width

if TYPE_CHECKING:
    from compilelint.report.overview.overview import Overview

FORMATS = ("text", "badge", "html", "json", "line", "markdown")
OUTPUT = under("Output")
MEASURED = under("What was measured")
RUN = under("Speed")


@click.command(
    cls=GroupedCommand, context_settings=CONTEXT, short_help="Show how ready a project is, and what to do first."
)
@click.argument("paths", nargs=-1, type=text)
@shared_options
@deployment_option
@MEASURED(
    "--verify",
    "runs",
    type=text,
    multiple=True,
    metavar="FILE",
    help="What `verify --output json:FILE` wrote: it is shown beside what is expected. Repeats.",
)
@MEASURED(
    "--bench",
    "benches",
    type=text,
    multiple=True,
    metavar="FILE",
    help="What `bench --output json:FILE` wrote. Repeats.",
)
@MEASURED(
    "--since",
    type=text,
    metavar="FILE",
    help="What `report`, `check` or `verify --update-budget` wrote before: say what is fixed, new and worse.",
)
@OUTPUT(
    "--output",
    "outputs",
    multiple=True,
    metavar="FORMAT[:PATH]",
    help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}, to the terminal or to a file. Repeats. [default: text]",
)
@OUTPUT("--all", "unfolded", is_flag=True, help="Every function and the whole list of work, however long.")
@OUTPUT("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[default: auto]")
@RUN("--jobs", type=click.IntRange(min=1), metavar="N", help=JOBS_HELP)
@RUN("--no-cache", is_flag=True, help="Do not read or write the cache.")
@RUN("--cache-dir", type=text, metavar="PATH", help="Cache folder.")
def report(**given: Any) -> None:
    """Show how ready a project is for torch.compile on one page, and what to do first.

    On one screen: what is compiled and how far it gets, what to do first, in the order in which it pays and with what
    it is expected to gain, and what was not seen. With `--all`, or where it fits: every function, the calls that
    compile it, how many graphs to expect and where each ends, recompiles, host syncs and what keeps CUDA graphs from
    recording it. Nothing is run; what `verify` and `bench` measured is shown beside it. It lints twice: once as the
    code asks, once as if every call asked for CUDA graphs.

    With `--for train`, `serve` or `edge`: a verdict on each function with its expected speed, mode, shapes and region,
    what goes inside of what (DDP, FSDP, autocast), what the first step costs, when not to compile, and the commands
    that measure.

    Exit code 0 whatever is found, 2 where the request cannot be carried out.
    """
    with one_line_errors():
        raise click.exceptions.Exit(_report(given))


def _report(given: dict[str, Any]) -> int:
    from compilelint.config import UsageError, parse_outputs
    from compilelint.disk.write import NotWrittenError, write_text
    from compilelint.session.commands.report import overview_of

    outputs = parse_outputs(given["outputs"], FORMATS[0], FORMATS)
    with Progress(wanted(quiet=False, verbose=False)) as progress:
        keep_alive: list[object] = []
        deployment = given["purpose"] if given["purpose"] in DEPLOYMENTS else None
        each = options_each({**given, "purpose": DEPLOYMENTS.get(given["purpose"], given["purpose"])})
        before = given["since"]
        overview = overview_of(each, progress, keep_alive, given["runs"], given["benches"], before, deployment)
        if given["unfolded"]:
            overview = replace(overview, report=replace(overview.report, unfolded=True))
    for output in outputs:
        if output.path is None:
            color = colored(given["color"])
            text = _rendered(overview, output.format, color=color)
            if output.format == FORMATS[0] and not given["unfolded"] and overview.asked is None:
                text = _on_a_screen(overview, text, color)
            click.echo(text, nl=False, color=color)
            continue
        try:
            write_text(output.path, _rendered(overview, output.format))
        except NotWrittenError as error:
            what = f"cannot write the report: {error.reason}"
            raise UsageError(what, output.path, "name another file") from error
    if all(output.path is not None for output in outputs):
        say(f"note: the report is in {', '.join(shown(output.path) for output in outputs if output.path)}")
    return OK


def _on_a_screen(overview: Overview, page: str, color: bool) -> str:
    """The whole page where it fits on a screen, else the first screen that all commands share."""
    from compilelint.report.overview.screen import fits, screen

    if fits(page):
        return page
    return screen(overview, color=color, width=width(), links=linked(color), more="compilelint report --all")


def _rendered(overview: Overview, name: str, color: bool | None = None) -> str:
    """In one format; `color` says that it goes to the terminal, and whether with colours."""
    import importlib

    module = "console" if name == FORMATS[0] else name
    render = importlib.import_module(f"compilelint.report.overview.{module}").render
    if name == FORMATS[0] and color is not None:
        return str(render(overview, color=color, width=width(), links=linked(color)))
    return str(render(overview))
