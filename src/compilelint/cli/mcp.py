"""`compilelint mcp`: the tools for coding agents, on standard input and output."""

from __future__ import annotations

import gc
import logging
import sys

import click

from compilelint.cli.terminal import CONTEXT, OK, one_line_errors, text


@click.command(context_settings=CONTEXT, short_help="Serve the tools for coding agents (Model Context Protocol).")
@click.argument("folders", nargs=-1, type=text, metavar="[FOLDER]...")
@click.option("--allow-verify", is_flag=True, help="Offer the tools that RUN CODE of the folders.")
@click.option("--python", type=text, metavar="PATH", help="Interpreter for verify. [default: this one]")
def mcp(folders: tuple[str, ...], allow_verify: bool, python: str | None) -> None:
    """Serve the tools lint, explain, fix, verify, prove and reveal to a coding agent, over standard input and output.

    Clients reach files of the FOLDERs alone (default: the current folder). Nothing of them is run, unless
    --allow-verify; fix writes only where a call says so. Needs the extra: pip install 'compilelint[mcp]'.
    """
    if python is not None and not allow_verify:
        raise click.UsageError("--python is for verify: add --allow-verify")
    with one_line_errors():
        _serve(folders or (".",), python if python is not None else sys.executable if allow_verify else None)
    raise click.exceptions.Exit(OK)


def _serve(folders: tuple[str, ...], python: str | None) -> None:
    from compilelint.cli.verify import interpreter
    from compilelint.config import UsageError

    try:
        from compilelint.mcp.serve import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "mcp_types", "pydantic"):
            raise
        hint = "install it: pip install 'compilelint[mcp]'"
        raise UsageError("the server needs the Model Context Protocol SDK", "compilelint mcp", hint) from error
    gc.enable()  # unlike other commands this one lives
    logging.getLogger("mcp").setLevel(logging.WARNING)
    serve(folders, None if python is None else interpreter(python))
