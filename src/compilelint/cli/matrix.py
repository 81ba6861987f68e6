"""What `verify --matrix`, `--budget` and `--board` add to `verify`: they print and write, the work is done below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from compilelint.cli.terminal import FINDINGS, OK, say, shown, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from compilelint.config import Options
    from compilelint.dynamic.protocol import Settings
    from compilelint.dynamic.targets import Target
    from compilelint.session.commands.matrix import Upgrade
    from compilelint.session.commands.verify import Verification


def matrix(
    targets: Sequence[Target], settings: Settings, options: Options, outputs: Sequence[Any], given: dict[str, Any]
) -> int:
    """Verify in every cell and print the table and the changes; 1 if something breaks newly or stopped running."""
    from dataclasses import replace

    from compilelint.cli.execution import place_of
    from compilelint.config import UsageError
    from compilelint.fleet.matrix import NoAxisError, cells
    from compilelint.report.layout.matrix_text import matrix_json, matrix_text
    from compilelint.session.commands.fleet import fleet_at, runs_folder
    from compilelint.session.commands.matrix import upgraded
    from compilelint.session.commands.matrix_rows import rows_of

    try:
        asked = cells(given["matrix"])
    except NoAxisError as error:
        raise UsageError(str(error), "--matrix", "the first value of each is what others are compared with") from error
    if given["resume"]:
        raise UsageError("a matrix is several runs", "--resume", "leave it out: each run of it has a journal")
    found = upgraded(
        targets,
        settings,
        options,
        asked,
        runs_folder(given["cache_dir"]).parent / "environments",
        lambda there: fleet_at(replace(place_of(given, there), resume=""), "compilelint verify"),
        lambda text: None if given["quiet"] else say(text),
        given["packages"],
    )
    table = rows_of(found, shown)
    for output in outputs:
        text = matrix_json(table) if output.format == "json" else matrix_text(table, width=width())
        if output.path is None:
            click.echo(text, nl=False)
        else:
            _written(output.path, text)
    _summarise(found)
    return OK if found.ready or given["exit_zero"] else FINDINGS


def _summarise(found: Upgrade) -> None:
    """The answer in a line."""
    new, gone = len(found.new), len(found.gone)
    foreseen = sum(one.predicted for one in found.new)
    words = f"{new} new {'break' if new == 1 else 'breaks'} ({foreseen} predicted), {gone} gone"
    more = f", {len(found.stopped)} no longer run" if found.stopped else ""
    say(f"{words}{more}{f', {len(found.started)} run now' if found.started else ''}")


def accepted(path: str, update: bool) -> dict[str, dict[str, Any]]:
    """The accepted numbers of a file; none where it is to be written first. Raises UsageError."""
    import os

    from compilelint.config import UsageError
    from compilelint.disk.read import NotReadError, read_bytes
    from compilelint.fleet.accepted import NotAcceptedError, read

    hint = "write it with --update-budget"
    if not os.path.lexists(path):
        if update:
            return {}
        raise UsageError("there is no such file", path, hint)
    try:
        return read(read_bytes(path).decode("utf-8"))
    except (NotAcceptedError, NotReadError, UnicodeDecodeError) as error:
        raise UsageError(f"no accepted numbers: {error}", path, hint) from error


def budget(verification: Verification, known: dict[str, dict[str, Any]], path: str, update: bool) -> bool:
    """Hold the runs against accepted numbers; whether none is worse. Raises UsageError."""
    from compilelint.fleet.accepted import compared, text_of

    runs = [side.run for side in verification.sides]
    found = compared(known, runs)
    for line in found.regressions:
        say(f"worse than accepted: {line}")
    for line in found.improvements:
        say(f"better than accepted: {line}" + ("" if update else "; take it with --update-budget"))
    if found.new and not update:
        say(f"not accepted yet: {', '.join(found.new[:5])}{' and more' * (len(found.new) > 5)}; see --update-budget")
    if update and found.better != known:
        torch = next((run.torch for run in runs if run.torch), "")
        _written(path, text_of(found.better, torch.partition("+")[0]))
    return not found.regressions


def write_board(verification: Verification, path: str) -> None:
    """Write the rows of a verification for `board`. Raises UsageError."""
    import time

    from compilelint.config import UsageError
    from compilelint.disk.write import NotWrittenError, write_bytes
    from compilelint.session.commands.board_rows import data_of, rows_of

    try:
        write_bytes(path, data_of(rows_of(verification, time.strftime("%Y-%m-%d")), path))
    except NotWrittenError as error:
        raise UsageError(f"cannot write the rows: {error.reason}", path, "name another file") from error


def _written(path: str, text: str) -> None:
    from compilelint.config import UsageError
    from compilelint.disk.write import NotWrittenError, write_text

    try:
        write_text(path, text)
    except NotWrittenError as error:
        raise UsageError(f"cannot write: {error.reason}", path, "name another file") from error
