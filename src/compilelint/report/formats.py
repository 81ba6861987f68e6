"""The formats by name, and how a report gets into a file. A format's module is imported when it is asked for."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable

from compilelint.report import Report

FORMATS = ("full", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")


def render(
    report: Report,
    name: str,
    *,
    color: bool = False,
    width: int | None = None,
    summary: bool = True,
    links: bool = False,
) -> str:
    """The report in a format of `FORMATS`, ending in a newline unless empty.

    `color`, `width` (columns to wrap at, None for no wrapping), `summary` and `links` (OSC 8) matter to the console
    formats only.
    """
    make = _for_programs(name)
    if make is not None:
        return make(report)
    from compilelint.report import console

    tell = {"full": console.full, "concise": console.concise}[name]
    return tell(report, color=color, width=width, summary=summary, links=links)


def _for_programs(name: str) -> Callable[[Report], str] | None:
    """What makes the format; None for those of the console, which want to know about the terminal."""
    if name == "json":
        from compilelint.report.lines import json_report

        return json_report
    if name == "sarif":
        from compilelint.report.sarif import sarif_report

        return sarif_report
    if name == "markdown":
        from compilelint.report.markdown import markdown_report

        return markdown_report
    if name == "html":
        from compilelint.report.html import html_report

        return html_report
    if name in ("github", "gitlab", "junit"):
        from compilelint.report import ci

        return {"github": ci.github, "gitlab": ci.gitlab, "junit": ci.junit}[name]
    return None


def write_file(path: str, text: str) -> None:
    """Write a whole file or nothing: readers see the old one until the new one is complete. Raises OSError.

    A link is followed. What is no regular file (a pipe, `/dev/null`) is written to, never replaced.
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: str, data: bytes) -> None:
    """`write_file` for bytes."""
    target = os.path.realpath(path)
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as opened:
            opened.write(data)
        return
    descriptor, temporary = tempfile.mkstemp(prefix=".compilelint-", dir=os.path.dirname(target))
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
        os.chmod(temporary, _permissions() if mode is None else stat.S_IMODE(mode))
        os.replace(temporary, target)
    except OSError:
        os.unlink(temporary)
        raise


def write_new(path: str, text: str) -> None:
    """Write a file that is not there yet. Raises FileExistsError, and OSError; what is there is never touched."""
    with open(path, "x", encoding="utf-8", newline="\n") as opened:
        opened.write(text)


def _mode(path: str) -> int | None:
    """The file's mode, None if there is no such file."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _permissions() -> int:
    """What a plain `open` would give a new file; the mask can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask
