"""`compilelint why FILE:LINE`: why a line is reported, and why it is not."""

from __future__ import annotations

from typing import Any

import click

from compilelint.cli.options import GroupedCommand, under
from compilelint.cli.progress import Progress, wanted
from compilelint.cli.requested import options_each, purpose_option, shared_options
from compilelint.cli.terminal import CONTEXT, OK, colored, one_line_errors, say, text, width

OUTPUT = under("Output")


@click.command(cls=GroupedCommand, context_settings=CONTEXT)
@click.argument("place", metavar="FILE:LINE", type=text)
@click.argument("paths", nargs=-1, type=text)
@shared_options
@purpose_option
@OUTPUT("--output", type=click.Choice(["full", "json"]), default="full", help="Format. [default: full]")
@OUTPUT("--all", "every_way", is_flag=True, help="Show every way to the line, not the first three.")
@OUTPUT("--bundle", type=text, metavar="FILE", help="Also write what a bug report needs to FILE.")
@OUTPUT("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[default: auto]")
def why(place: str, bundle: str | None, every_way: bool, **given: Any) -> None:
    """Say why a line is reported, or why it is not.

    What became of each finding and of what lowered its confidence; the roots and calls that lead to the line, how each
    test on the way came out, what its values are believed to be and from where, and what Dynamo does there. Of a line
    without a finding: whether it is reached, and why not, or why it is accepted.

    PATHS are what is linted together, as for `check`; FILE alone is the default. Give the PATHS of the run that you ask
    about: a caller in another file may decide. Nothing is imported or run.
    """
    from compilelint.report.layout.why_text import why_data, why_text

    with one_line_errors():
        file, line = _place(place)
        given["paths"] = given["paths"] or (file,)
        explanation = _explained(given, file, line)
        if bundle is not None:
            _write_bundle(bundle, explanation)
        painted = colored(given["color"])
        if given["output"] == "json":
            click.echo(why_data(explanation), nl=False)
        else:
            click.echo(why_text(explanation, painted, width(), every_way), nl=False, color=painted)
    raise click.exceptions.Exit(OK)


def _place(place: str) -> tuple[str, int]:
    """File and line of `model.py:12`, a column behind it passed over. Raises UsageError."""
    from compilelint.config import UsageError

    file, _, number = place.rpartition(":")
    before, _, line = file.rpartition(":")
    if before and line.isdecimal() and number.isdecimal():
        file, number = before, line
    if not file or not number.isdecimal() or not 0 < int(number) < 10**9:
        raise UsageError(f"{place} names no line", "compilelint why", "write FILE:LINE, as in model.py:12")
    return file, int(number)


def _explained(given: dict[str, Any], file: str, line: int) -> Any:
    """The explanation by the settings that hold for the file."""
    import os

    from compilelint.session.commands.lint import files_to_lint
    from compilelint.session.commands.why import why as explained

    path = os.path.abspath(file).replace(os.sep, "/")
    every = list(options_each(given))
    chosen = next((one for one in every if len(every) > 1 and path in files_to_lint(one)), every[0])
    with Progress(wanted(quiet=False, verbose=False)) as progress:
        return explained(chosen, file, line, progress)


def _write_bundle(target: str, explanation: Any) -> None:
    import platform

    from compilelint import __version__
    from compilelint.config import UsageError
    from compilelint.disk.write import NotWrittenError, write_text
    from compilelint.report.layout.why_text import bundle_text
    from compilelint.session.commands.why import source_around

    versions = (("compilelint", __version__), ("Python", platform.python_version()), ("system", platform.system()))
    try:
        write_text(target, bundle_text(explanation, versions, source_around(explanation)))
    except NotWrittenError as error:
        what = f"the report cannot be written: {error.reason}"
        raise UsageError(what, f"--bundle {target}", "name another file") from error
    say(f"wrote {target}: read it before you send it, it contains the function's source")
