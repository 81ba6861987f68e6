"""`compilelint check --watch`: lint, wait for a change, lint again, until Ctrl-C."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from compilelint.cli.terminal import FAILURE, one_line_errors, say, shown
from compilelint.report.formats import FOR_PEOPLE

if TYPE_CHECKING:
    from compilelint.config import Output
    from compilelint.session.commands.watch import Scope

_CLEAR = "\x1b[2J\x1b[H"  # what was scrolled off stays readable
_ONCE = ("fix", "diff", "show_files", "add_ignore", "update_baseline", "stdin_filename")


def refuse_with_watch(given: dict[str, Any]) -> None:
    """Raise UsageError for what makes no sense again and again."""
    if not given["watch"]:
        return
    once = [f"--{name.replace('_', '-')}" for name in _ONCE if given[name] not in (None, False)]
    once += ["-"] if "-" in given["paths"] else []
    if once:
        raise click.UsageError(f"--watch lints again after each change, which does not go with {once[0]}")
    asked = [word for word in given["outputs"] if ":" not in word and word not in FOR_PEOPLE]
    if asked:
        people = ", ".join(FOR_PEOPLE)
        raise click.UsageError(
            f"--watch prints for people ({people}); write --output {asked[0]}:FILE to keep a file up to date"
        )


def watched(given: dict[str, Any], outputs: Sequence[Output], lint_once: Callable[[Callable[[], object]], int]) -> int:
    """Lint now and after every change; the last exit code, when Ctrl-C ends it.

    `lint_once` is handed what to call before it prints. Raises UsageError for a path that is not there to begin with.
    """
    from compilelint.config import UsageError
    from compilelint.session.commands.watch import Watch

    gc.enable()  # unlike other commands this one lives
    paths = given["paths"] or (".",)
    for path in paths:
        if not os.path.lexists(path):
            raise UsageError("no such file or folder", path, "name files or folders that exist")
    heading: list[str] = []  # what the next report begins with

    def begin() -> None:
        if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
            sys.stdout.write(_CLEAR)
            sys.stdout.flush()
        for line in heading:
            say(line)
        heading.clear()

    code = None
    with Watch(lambda: _scope(given, paths), [one.path for one in outputs if one.path]) as watch:
        if watch.polls:
            say("note: the system has no file watches left, so files are looked at twice a second")
        try:
            while True:
                code = _without_ending(lint_once, begin)
                count = len(watch.scope.folders)
                say(f"watching {count} folder{'s' * (count != 1)} for changes; Ctrl-C ends")
                heading.append(_changed(watch.changes()))
        except KeyboardInterrupt:
            if code is None:
                raise
    return code


def _scope(given: dict[str, Any], paths: Sequence[str]) -> Scope:
    from compilelint.cli.requested import options_each
    from compilelint.config import UsageError
    from compilelint.rulebook import RulebookError
    from compilelint.session.commands.watch import scope_of

    try:
        each = options_each(given)
    except (UsageError, RulebookError):  # the run itself says so
        each = ()
    return scope_of(each, paths)


def _without_ending(lint_once: Callable[[Callable[[], object]], int], begin: Callable[[], object]) -> int:
    """The exit code of one run; what goes wrong in it is said, and is no reason not to try again."""
    try:
        with one_line_errors():
            return lint_once(begin)
    except click.ClickException as error:
        begin()
        say(f"error: {' '.join(error.format_message().split())}")
    except BrokenPipeError:
        raise
    except Exception:  # noqa: BLE001  # a defect of ours, shown as one that ends a run
        begin()
        with contextlib.suppress(SystemExit):
            sys.excepthook(*sys.exc_info())
    return FAILURE


def _changed(paths: Sequence[str]) -> str:
    """`12:30:01 src/net.py changed, and 2 more; linting`."""
    more = f", and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{time.strftime('%H:%M:%S')} {shown(paths[0])} changed{more}; linting"
