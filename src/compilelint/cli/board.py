"""`compilelint board`: many models on one page, from what `verify --board` wrote."""

from __future__ import annotations

from typing import Any

import click

from compilelint.cli.terminal import CONTEXT, OK, one_line_errors, say, text


@click.command(context_settings=CONTEXT, short_help="Show the runs of many models on one page.")
@click.argument("runs", nargs=-1, required=True, type=text, metavar="RUN...")
@click.option("--output", type=text, default="board.html", show_default=True, metavar="FILE", help="The page.")
def board(**given: Any) -> None:
    """Make one page of what `verify --board RUN` wrote: a row a model, sortable and searchable.

    Several RUNs, the oldest first, show what became of each model from one to the next; those of one day are the
    parts of one. The page fetches nothing.
    """
    with one_line_errors():
        raise click.exceptions.Exit(_board(given))


def _board(given: dict[str, Any]) -> int:
    from compilelint.config import UsageError
    from compilelint.disk.read import NotReadError, read_bytes
    from compilelint.disk.write import NotWrittenError, write_text
    from compilelint.report.layout.board_html import board as page
    from compilelint.session.commands.board_rows import NoBoardError, read, together

    runs = []
    for path in given["runs"]:
        try:
            runs.append(read(read_bytes(path)))
        except (NotReadError, NoBoardError) as error:
            raise UsageError(f"no run: {error}", path, "name what `verify --board` wrote") from error
    runs = together(runs)
    try:
        write_text(given["output"], page(runs))
    except NotWrittenError as error:
        raise UsageError(f"cannot write the page: {error.reason}", given["output"], "name another file") from error
    say(f"{sum(len(run) - 1 for run in runs)} results of {len(runs)} runs are on {given['output']}")
    return OK
