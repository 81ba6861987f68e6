"""Programs of the user's own: found by the whole paths of PATH alone."""

from __future__ import annotations

import os


def program_on_path(name: str) -> str | None:
    """Where a program lies by the whole paths of PATH: those relative to the current folder are a stranger's.

    Windows would look into the current folder first.
    """
    files = (os.path.join(folder, file) for folder in os.get_exec_path() for file in (name, f"{name}.exe"))
    return next((one for one in files if os.path.isabs(one) and os.path.isfile(one) and os.access(one, os.X_OK)), None)
