"""What every command shares: exit codes, kinds of option values, how a wrong request ends, what the terminal can do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

OK, FINDINGS, FAILURE = 0, 1, 2
INTERRUPTED = 130
_LINKING = ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM")
_VTE_LINKS = 5000  # GNOME's terminal and its kin, since 0.50
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 110}

COLOR = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
FORMAT = click.option(
    "--output",
    type=click.Choice(["full", "json"]),
    default="full",
    show_default=True,
    help="Format: for people or for programs.",
)


def rule_names(context: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Codes and names for shell completion, behind the last comma of a list."""
    from compilelint.rulebook import pages_folder

    done, comma, begun = typed.rpartition(",")
    folder = pages_folder()
    names = [path.stem.partition("-") for path in sorted(folder.glob("CL*.md"))] if folder else []
    known = [*(code for code, _, _ in names), *(name for _, _, name in names)]
    return [done + comma + name for name in known if name.casefold().startswith(begun.casefold())]


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


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn what our own layers refuse into click's error, which `run` prints."""
    from compilelint.config import UsageError
    from compilelint.rulebook import RulebookError
    from compilelint.torchfacts import FactsError

    try:
        yield
    except (UsageError, RulebookError, FactsError) as error:
        raise click.ClickException(str(error)) from error


def colored(choice: str) -> bool:
    """Whether stdout gets colours: as asked for, else if it is a terminal and `NO_COLOR` is not set."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def linked(painted: bool) -> bool:
    """Whether stdout turns OSC 8 sequences into links; what does not know them may print them."""
    if not painted or not sys.stdout.isatty():
        return False
    known = os.environ.get("TERM_PROGRAM") in ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby")
    vte = os.environ.get("VTE_VERSION", "")
    return known or any(map(os.environ.get, _LINKING)) or (vte.isdigit() and int(vte) >= _VTE_LINKS)


def width() -> int | None:
    """Columns of the terminal; None where lines must not be wrapped because a file or a program reads them."""
    if not sys.stdout.isatty():
        return None
    import shutil  # with three libraries of compression

    return shutil.get_terminal_size().columns


def say(words: str) -> None:
    """One line on standard error, whatever names and texts of strangers it repeats."""
    from compilelint.report.layout.text import escaped

    click.echo(f"compilelint: {escaped(words)}", err=True)


def shown(path: str) -> str:
    """A path as messages show it."""
    from compilelint.report.layout.text import shown_path

    return shown_path(path)
