"""`compilelint check --add-ignore[=REASON]`: suppress what is found now, so that only what is new is reported."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from compilelint.cli.terminal import OK, say, shown

if TYPE_CHECKING:
    from compilelint.report.report import Report


def add_ignores(report: Report, reason: str) -> int:
    """Write a pragma for every finding of the report that is about code; say how many. Raises UsageError."""
    from compilelint.config import UsageError
    from compilelint.disk.write import NotWrittenError, write_bytes
    from compilelint.model import Effect
    from compilelint.report.layout.text import counted
    from compilelint.syntax.add_ignore import with_ignores
    from compilelint.syntax.notebooks import is_notebook
    from compilelint.syntax.source import read_bytes
    from compilelint.syntax.unreadable import Unreadable

    if re.search(r"#(?![0-9])", reason) or not reason.isprintable():
        what = "a reason is one line, with `#` only before an issue number"
        raise UsageError(what, f"--add-ignore={reason}", "use plain words")
    if report.unsaved:
        raise UsageError("standard input cannot be written to", "--add-ignore", "name the file instead")
    by_path: dict[str, dict[int, set[str]]] = {}
    for finding in report.findings:
        if finding.effect is not Effect.TOOL:
            lines = by_path.setdefault(finding.location.path, {})
            lines.setdefault(finding.location.span.line, set()).add(finding.rule.code)
    added = files = 0
    for path, wanted in by_path.items():
        if is_notebook(path):
            say(f"note: notebooks are not written to: {shown(path)}")
            continue
        data = read_bytes(path)
        if isinstance(data, Unreadable):
            say(f"note: {data.message}: {shown(path)}")
            continue
        try:
            written, failed = with_ignores(path, data, wanted, reason)
            write_bytes(path, written, expected=data)
        except UnicodeEncodeError as error:
            hint = "use characters that the file's encoding has"
            raise UsageError("the reason cannot be written", shown(path), hint) from error
        except NotWrittenError as error:
            what = f"cannot write: {error.reason}"
            raise UsageError(what, shown(path), "make it writable, or leave it out") from error
        if failed:
            say(f"note: no place for {counted(failed, 'suppression')}: {shown(path)}")
        added += sum(map(len, wanted.values())) - failed
        files += 1
    click.echo(f"{counted(added, 'suppression')} written in {counted(files, 'file')}.")
    return OK
