"""Hold the recompile rules against the recorded cases: both halves, both versions of torch. Needs no torch.

    python -m benchmarks.recompiles.measure

compilelint itself must be installed in the Python that runs this, from the root of the repository.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks import score
from benchmarks.reproduce import table_of
from compilelint.config import Options
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint

FOLDER = Path(__file__).resolve().parent
VERSIONS = ("2.13.0", "2.15.0")
HALVES = ("tuning", "heldout")


def rows() -> list[list[object]]:
    """One row a half and version: cases, what was found, what was flagged wrongly, and which cases these are."""
    found: list[list[object]] = []
    for version in VERSIONS:
        hits = _hits(version)
        cases = list(score.read_cases([FOLDER / f"labels-torch-{version}.jsonl"]))
        for half in HALVES:
            mine = [case for case in cases if case["case"].startswith(half)]
            row, mistakes = score.recompile_summary(mine, hits)
            wrong = ", ".join(name for names in mistakes.values() for name in names)
            shares = [f"{row['precision']:.3f}", f"{row['recall']:.3f}"]
            counts = [row["recompiling_cases"], row["found"], row["clean_cases"], row["false_positives"]]
            found.append([half, version, *counts, *shares, wrong or "-"])
    return found


def _hits(version: str) -> list[score.Hit]:
    """What is reported at default confidence, every function being a root."""
    options = Options((str(FOLDER / "cases"),), ("all",), torch_version=version, select=("CL7",))
    report = json.loads(render(lint(options), "json"))
    return list(score.hits_of(report, FOLDER / "cases", "recompile"))


def main() -> int:
    """Print the table."""
    columns = ["half", "torch", "recompiling", "found", "clean", "flagged", "precision", "recall", "mistakes"]
    print(table_of(columns, rows()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
