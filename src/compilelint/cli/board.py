"""`compilelint board`: many models on one page, from what `verify --board` wrote."""

from __future__ import annotations

from typing import Any

import click

from compilelint.cli.terminal import CONTEXT, OK, one_line_errors, say, text


@click.command(context_settings=CONTEXT, short_help="Show the runs of many models on one page.")
@click.argument("runs", nargs=-1, required=True, type=text, metavar="RUN...")
@click.option(
    "--bench",
    "benches",
    multiple=True,
    type=text,
    metavar="FILE",
    help="What `bench --output json:FILE` wrote. Repeats.",
)
@click.option("--output", type=text, default="board.html", show_default=True, metavar="FILE", help="The page.")
def board(**given: Any) -> None:
    """Make one page of what `verify --board RUN` wrote: a row a model, sortable and searchable.

    Several RUNs, the oldest first, show what became of each model from one to the next; those of one day are the
    parts of one. With measurements, each model says how many times as fast as eager it is. The page fetches nothing.
    """
    with one_line_errors():
        raise click.exceptions.Exit(_board(given))


def _board(given: dict[str, Any]) -> int:
    from compilelint.config import UsageError
    from compilelint.disk.read import NotReadError, read_bytes
    from compilelint.disk.write import NotWrittenError, write_text
    from compilelint.report.layout.board_html import board as page
    from compilelint.session.commands.board_rows import NoBoardError, read, speeds_of, together, with_speeds

    runs = []
    for path in given["runs"]:
        try:
            runs.append(read(read_bytes(path)))
        except (NotReadError, NoBoardError) as error:
            raise UsageError(f"no run: {error}", path, "name what `verify --board` wrote") from error
    speeds: dict[tuple[str, str], dict[str, Any]] = {}
    for path in given["benches"]:
        try:
            speeds |= speeds_of(read_bytes(path))
        except (NotReadError, NoBoardError) as error:
            raise UsageError(f"no measurements: {error}", path, "name what `bench --output json:FILE` wrote") from error
    runs = with_speeds(together(runs), speeds)
    try:
        write_text(given["output"], page(runs))
    except NotWrittenError as error:
        raise UsageError(f"cannot write the page: {error.reason}", given["output"], "name another file") from error
    say(f"{sum(len(run) - 1 for run in runs)} results of {len(runs)} runs are on {given['output']}")
    return OK
