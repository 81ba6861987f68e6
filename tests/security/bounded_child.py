"""Runs one bomb, or a few drawn inputs, in a process that has loaded nothing but the linter: `python -m ... KIND NAME`.

A test process may have torch loaded: its threads do not survive a fork, and what it has mapped counts as memory.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

from benchmarks import fuzz
from benchmarks.bombs import BOMBS
from benchmarks.bounded import CPU_SECONDS, MEGABYTES, Hostile, ended, ended_each, warm

ROOT = Path(__file__).resolve().parents[2]


def complaint(kind: str, name: str, *limits: int) -> str:
    """What is wrong with how the inputs ended, empty if nothing is. Runs in a fresh process."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.bounded_child", kind, name, *map(str, limits)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def bomb(name: str, small: int = 0, seconds: int = CPU_SECONDS, megabytes: int = MEGABYTES) -> str:
    """Set off one bomb: at its full size where that is small, else at a quarter, or at the size given."""
    one = next(one for one in BOMBS if f"{one.family}: {one.name}" == name)
    size = small or (one.size if one.size < 100 else one.size // 4)
    return ended(one.make(random.Random(0), size), seconds, megabytes).complaint


def drawn(target: str) -> str:
    """Lint eight inputs that Hypothesis draws for a target."""
    complaints: list[str] = []
    endings = 0

    def check(hostile: Hostile) -> None:
        nonlocal endings
        found = ended(hostile)
        endings += 1
        if found.complaint:
            complaints.append(f"{found.complaint}\n{hostile.files}")

    fuzz.run(target, check, 8, 0)
    return "\n".join(complaints) or ("" if endings >= 5 else f"only {endings} inputs were drawn")


def shared() -> str:
    """Endings of three inputs in one process, of which the second takes too long."""
    bomb = next(one for one in BOMBS if one.name == "fixes in every line, searched for in rounds")
    fine = Hostile({"m.py": "import torch\n"})
    inputs = [fine, bomb.make(random.Random(0), bomb.size), fine]
    return " | ".join(one.complaint or "well" for one in ended_each(inputs, seconds=1))


if __name__ == "__main__":
    warm()
    if sys.argv[1] == "shared":
        print(shared())  # noqa: T201
        sys.exit()
    print(drawn(sys.argv[2]) if sys.argv[1] == "fuzz" else bomb(sys.argv[2], *map(int, sys.argv[3:])))  # noqa: T201
