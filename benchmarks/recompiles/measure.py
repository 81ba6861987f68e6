"""Hold the recompile rules against the recorded cases: both halves, both versions of torch. Needs no torch.

    python -m benchmarks.recompiles.measure
    python -m benchmarks.recompiles.measure --guards

`--guards` takes the programs of `guards/`, a file a kind of guard, and splits them by the hash of their name: the
mistakes of the read half are named, those of the unread half are only counted.

compilelint itself must be installed in the Python that runs this, from the root of the repository.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from pathlib import Path

from benchmarks import score
from benchmarks.reproduce import table_of
from compilelint.config import Options
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint

FOLDER = Path(__file__).resolve().parent
VERSIONS = ("2.13.0", "2.15.0")
HALVES = ("tuning", "heldout")
_COLUMNS = ["half", "torch", "recompiling", "found", "clean", "flagged", "precision", "recall", "mistakes"]


def rows() -> list[list[object]]:
    """One row a half and version: cases, what was found, what was flagged wrongly, and which cases these are."""
    found: list[list[object]] = []
    for version in VERSIONS:
        hits = _hits(version, "cases")
        cases = list(score.read_cases([FOLDER / f"labels-torch-{version}.jsonl"]))
        for half in HALVES:
            mine = [case for case in cases if case["case"].startswith(half)]
            row, mistakes = score.recompile_summary(mine, hits)
            wrong = ", ".join(name for names in mistakes.values() for name in names)
            shares = [f"{row['precision']:.3f}", f"{row['recall']:.3f}"]
            counts = [row["recompiling_cases"], row["found"], row["clean_cases"], row["false_positives"]]
            found.append([half, version, *counts, *shares, wrong or "-"])
    return found


def half_of(case: str) -> str:
    """`read` or `unread`, by the hash of a case's name (`kind/name`)."""
    return "read" if hashlib.sha256(case.encode()).digest()[0] % 2 == 0 else "unread"


def guard_rows(folder: str) -> list[list[object]]:
    """As `rows`, of the programs by kind of guard; of the unread half the mistakes are not named."""
    found: list[list[object]] = []
    for version in VERSIONS:
        hits = _hits(version, folder)
        cases = list(score.read_cases([FOLDER / f"{folder}-torch-{version}.jsonl"]))
        for half in ("read", "unread"):
            mine = [case for case in cases if half_of(case["case"]) == half and case["label"] != "error"]
            row, mistakes = score.recompile_summary(mine, hits)
            named = [name for names in mistakes.values() for name in names]
            wrong = ", ".join(named) if half == "read" else ""
            shares = [f"{row['precision']:.3f}", f"{row['recall']:.3f}"]
            counts = [row["recompiling_cases"], row["found"], row["clean_cases"], row["false_positives"]]
            found.append([half, version, *counts, *shares, wrong or "-"])
    return found


def kinds(folder: str) -> list[list[object]]:
    """One row a kind of guard: what compiles again and was found, what is clean and was flagged, both versions."""
    found: dict[str, Counter[str]] = {}
    for version in VERSIONS:
        hits = _hits(version, folder)
        for case in score.read_cases([FOLDER / f"{folder}-torch-{version}.jsonl"]):
            counts = found.setdefault(case["case"].partition("/")[0], Counter())
            row, _ = score.recompile_summary([case], hits)
            if case["recompile_cause"] == "input":
                continue
            limit = case["limit_hit"] and case["label"] == "recompile"
            counts.update({case["label"]: 1, "found": row["found"], "flagged": row["false_positives"], "limit": limit})
    columns = ("recompile", "found", "limit", "clean", "flagged", "error")
    return [[kind, *(counts[name] for name in columns)] for kind, counts in sorted(found.items())]


def _hits(version: str, folder: str) -> list[score.Hit]:
    """What is reported at default confidence, every function being a root."""
    options = Options((str(FOLDER / folder),), ("all",), torch_version=version, select=("CL7",))
    report = json.loads(render(lint(options), "json"))
    return list(score.hits_of(report, FOLDER / folder, "recompile"))


def main(argv: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guards", action="store_true", help="the programs by kind of guard")
    parser.add_argument("--fresh", action="store_true", help="the programs that were written after the engine")
    parser.add_argument("--equal", action="store_true", help="what the first call of equal calls fills or counts")
    parser.add_argument("--later", action="store_true", help="three more sets of such programs, file by file")
    asked = parser.parse_args(argv)
    for folder in ("guards", "fresh", "equal", "later"):
        if getattr(asked, folder):
            print(table_of(_COLUMNS, guard_rows(folder)))
            columns = ["kind", "recompiling", "found", "to the limit", "clean", "flagged", "error"]
            print(table_of(columns, kinds(folder)))
    if asked.guards or asked.fresh or asked.equal or asked.later:
        return 0
    print(table_of(_COLUMNS, rows()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
