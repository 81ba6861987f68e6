"""`compilelint server`: the language server, over standard input and output or a TCP port."""

from __future__ import annotations

import click

from compilelint.cli.options import GroupedCommand, under
from compilelint.cli.terminal import CONTEXT, one_line_errors, text

TRANSPORT = under("Transport")
LOGGING = under("Log")
RULES = under("Rules")


@click.command(cls=GroupedCommand, context_settings=CONTEXT, short_help="Serve an editor (Language Server Protocol).")
@TRANSPORT("--stdio", is_flag=True, help="Speak over standard input and output, which is the default.")
@TRANSPORT("--tcp", type=text, metavar="[HOST:]PORT", help="Listen for one client. HOST is 127.0.0.1 unless given.")
@RULES("--rules", "packs", type=text, multiple=True, metavar="PATH", help="Also use the rules of this file or folder.")
@LOGGING("--log-file", type=text, metavar="FILE", help="Write the log to FILE. [default: standard error]")
@LOGGING(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="warning",
    show_default=True,
    help="What is logged.",
)
def server(stdio: bool, tcp: str | None, packs: tuple[str, ...], log_file: str | None, log_level: str) -> None:
    """Serve an editor by the Language Server Protocol.

    Needs the extra `lsp` (`pip install "compilelint[lsp]"`). Nothing that is read is run, but for `verify`, on an
    explicit command and in a trusted workspace.
    """
    from compilelint.config import UsageError

    if stdio and tcp is not None:
        raise click.UsageError("--stdio and --tcp contradict each other")
    with one_line_errors():
        try:
            from compilelint.server.serve import serve
        except ModuleNotFoundError as error:
            if error.name not in ("pygls", "lsprotocol"):
                raise
            hint = 'install the extra: pip install "compilelint[lsp]"'
            raise UsageError(f"{error.name} is not installed", "compilelint server", hint) from error
        serve(_address(tcp), packs, log_file, log_level)


def _address(given: str | None) -> tuple[str, int] | None:
    """Host and port. Raises UsageError."""
    from compilelint.config import UsageError

    if given is None:
        return None
    host, _, port = given.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise UsageError("not a port", f"--tcp {given}", "write a number, or HOST:PORT")
    return host or "127.0.0.1", int(port)
