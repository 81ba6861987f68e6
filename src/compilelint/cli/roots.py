"""`compilelint roots`: what gets compiled, where that is said, and how far it reaches."""

from __future__ import annotations

from typing import Any

import click

from compilelint.cli.options import GroupedCommand, under
from compilelint.cli.progress import Progress, wanted
from compilelint.cli.requested import JOBS_HELP, options_each, unruled_options
from compilelint.cli.terminal import CONTEXT, OK, colored, one_line_errors, text, width

OUTPUT = under("Output")
RUN = under("Speed")


@click.command(cls=GroupedCommand, context_settings=CONTEXT, short_help="List what gets compiled, and from where.")
@click.argument("paths", nargs=-1, type=text)
@unruled_options
@OUTPUT(
    "--output",
    type=click.Choice(["full", "json"]),
    default="full",
    help="Format: for people or for programs. [default: full]",
)
@OUTPUT("--all", "unfolded", is_flag=True, help="The whole tree, however long.")
@OUTPUT("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[default: auto]")
@RUN("--jobs", type=click.IntRange(min=1), metavar="N", help=JOBS_HELP)
@RUN("--no-cache", is_flag=True, help="Do not read or write the cache.")
@RUN("--cache-dir", type=text, metavar="PATH", help="Cache folder.")
def roots(**given: Any) -> None:
    """Show what gets compiled: the first thing to run on a repository that you do not know.

    Compile calls with their configuration and the functions that they compile, those that are not resolved and why,
    the forwards and functions that are checked beside them, how many functions and files each reaches, and the
    functions that look like entry points and are not checked, each with the --roots that checks it. A tree longer than
    a screen is shown with `--all`; without it, what to do first is shown instead.
    """
    with one_line_errors():
        click.echo(_shown(given), nl=False, color=colored(given["color"]))
    raise click.exceptions.Exit(OK)


def _shown(given: dict[str, Any]) -> str:
    from compilelint.report.layout.root_tree import root_data, root_tree
    from compilelint.report.overview.screen import fits, screen_of
    from compilelint.session.commands.lint import lint
    from compilelint.session.pipeline.unite import united

    with Progress(wanted(quiet=False, verbose=False)) as progress:
        keep_alive: list[object] = []
        report = united([lint(options, progress, keep_alive) for options in options_each(given)])
    if given["output"] == "json":
        return root_data(report)
    color = colored(given["color"])
    tree = root_tree(report, color, width())
    if given["unfolded"] or fits(tree):
        return tree
    return screen_of(report, color=color, width=width(), links=False, more="compilelint roots --all")
