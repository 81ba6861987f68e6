"""Why no target can be run at all, in one line with its cure; and folders for temporary files, which may be why.

Imports nothing of ours, so that all of `dynamic` may use it.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator

REPORT = "please report it with this line"
"""What to do about a defect of ours."""


class NoWorkerError(Exception):
    """No target can be run: the interpreter has no torch, or no folder can be written. `hint` says what to do."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}; {hint}")
        self.what = what
        self.hint = hint


def made_scratch() -> str:
    """A new folder for a worker's temporary files. Raises NoWorkerError."""
    try:
        return tempfile.mkdtemp(prefix="compilelint-run-")
    except OSError as error:
        raise _no_folder(error) from error


def _no_folder(error: OSError) -> NoWorkerError:
    folder = os.path.dirname(error.filename) if error.filename else "any of the usual folders"
    why = (error.strerror or "no usable folder").lower()
    hint = "make room there, or let TMPDIR name a folder that can be written"
    return NoWorkerError(f"cannot make a folder for temporary files in {folder}: {why}", hint)


@contextlib.contextmanager
def scratch_folder() -> Iterator[str]:
    """A folder for temporary files that goes in the end. Raises NoWorkerError."""
    with contextlib.ExitStack() as held:
        try:
            folder = held.enter_context(tempfile.TemporaryDirectory(prefix="compilelint-"))
        except OSError as error:
            raise _no_folder(error) from error
        yield folder
