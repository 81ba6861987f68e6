"""The formats by name, and how a report gets into a file. A format's module is imported when it is asked for."""

from __future__ import annotations

import os
import stat
import tempfile

from compilelint.report import Report

FORMATS = ("full", "concise", "json")


def render(report: Report, name: str, *, color: bool = False, width: int | None = None, summary: bool = True) -> str:
    """The report in a format of `FORMATS`, ending in a newline unless empty.

    `color`, `width` (columns to wrap at, None for no wrapping) and `summary` matter to the console formats only.
    """
    if name == "json":
        from compilelint.report.lines import json_report

        return json_report(report)
    from compilelint.report import console

    make = {"full": console.full, "concise": console.concise}[name]
    return make(report, color=color, width=width, summary=summary)


def write_file(path: str, text: str) -> None:
    """Write a whole file or nothing: readers see the old one until the new one is complete. Raises OSError.

    A link is followed. What is no regular file (a pipe, `/dev/null`) is written to, never replaced.
    """
    target = os.path.realpath(path)
    data = text.encode("utf-8", "backslashreplace")
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
