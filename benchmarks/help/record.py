"""Record what the programs do under torch: see benchmarks/reports/record.py, whose marks and labels these are.

    python -m benchmarks.help.record                  # all programs, to labels-2.13.jsonl
    python -m benchmarks.help.record --only NAME      # print what disagrees with the marks, write nothing
    python -m benchmarks.help.record --edited         # what `--fix --unsafe-fixes --allow-config` makes of each

An edit is right if the edited program breaks no graph, compiles nothing again, raises nothing and prints what the
original prints as plain Python.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.help.__main__ import EDITED, LABELS, PROGRAMS
from benchmarks.reports.record import label, run


def _alone(path: Path, compiled: bool) -> dict[str, Any]:
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        return pool.apply(run, (str(path), compiled))


def edited(path: Path) -> dict[str, Any] | None:
    """What the edited form of a program does; None where nothing is edited."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(path, folder))
        options = ("--fix", "--unsafe-fixes", "--allow-config", "--quiet", "--isolated", "--exit-zero")
        subprocess.run((sys.executable, "-m", "compilelint", "check", str(copy), *options), check=True)
        if copy.read_text() == path.read_text():
            return None
        wanted, got = _alone(path, False), _alone(copy, True)
    row = {
        "program": path.stem,
        "breaks": len(got["breaks"]),
        "recompiles": len(got["recompiles"]),
        "error": got["error"],
        "same": got["printed"] == wanted["printed"],
    }
    return {**row, "right": row["same"] and not (got["breaks"] or got["recompiles"] or got["error"])}


def main(argv: Sequence[str] | None = None) -> int:
    """Record the programs; 1 where marks and runs disagree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--edited", action="store_true")
    given = parser.parse_args(argv)
    import torch._dynamo  # noqa: F401 - the processes that run the programs are forks of this one

    if given.edited:
        found = [row for path in sorted(PROGRAMS.glob("*.py")) if (row := edited(path)) is not None]
        EDITED.write_text("".join(json.dumps(row) + "\n" for row in found))
        return 0
    rows, notes = [], []
    for path in sorted(PROGRAMS.glob("*.py")):
        if not given.only or path.stem in given.only:
            row, disagree = label(path)
            rows.append({**row, "case": f"help/{path.stem}"})
            notes.extend(disagree)
    print(*notes, sep="\n")
    if not given.only:
        LABELS.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return bool(notes)


if __name__ == "__main__":
    raise SystemExit(main())
