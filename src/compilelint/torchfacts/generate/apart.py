"""Runs a function over names in processes of their own, so that a crash costs one name.

What a process has corrupted shows itself later, at an innocent name: that one is run again alone before it is blamed.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

_TOGETHER = 40  # names that one process works on
_SECONDS = 300  # of CPU for one process
_BYTES = 12 << 30  # of address space


def forked(work: Callable[[str], Any], names: Sequence[str]) -> dict[str, Any]:
    """`work(name)` for each name, as JSON gives it back; names at which the process died are reported and left out."""
    found: dict[str, Any] = {}
    left = list(names)
    alone = False
    with tempfile.TemporaryDirectory(prefix="torchfacts-") as folder:
        while left:
            batch = left[: 1 if alone else _TOGETHER]
            done = _results(work, batch, Path(folder) / "results")
            found.update(done)
            if not done and alone:
                print(f"{left[0]}: its process died", file=sys.stderr)
                left, alone = left[1:], False
                continue
            left, alone = left[len(done) :], len(done) < len(batch) and not done
    return found


def _results(work: Callable[[str], Any], names: Sequence[str], path: Path) -> dict[str, Any]:
    """What a child process came to before it ended or died."""
    path.write_text("")
    child = os.fork()
    if child == 0:
        _run(work, names, path)
    os.waitpid(child, 0)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return dict(json.loads(line) for line in lines if line.endswith("\n"))


def _run(work: Callable[[str], Any], names: Sequence[str], path: Path) -> None:
    """In the child: never returns, and leaves without the clean-up that belongs to the parent."""
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    with path.open("a", encoding="utf-8") as file:
        for name in names:
            file.write(json.dumps([name, work(name)]) + "\n")
            file.flush()
    os._exit(0)
