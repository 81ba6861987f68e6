"""How many recorded cures the proof of today keeps: two records of `cure`, fix by fix.

    python -m benchmarks.fixes.cure --cases CASE... --record NEW.jsonl ...
    python -m benchmarks.fixes.again --record OLD.jsonl --now NEW.jsonl

A cure is a fix that was kept, known by its case, file, line and title. It is kept again, dropped (with what the proof
says now), or offered no more, since the rewrite, or the finding under it, is another one. Cases that the second record
does not hold, or that do not run in it, are left out and counted.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Cure = tuple[str, str, str, str]


def main() -> None:
    """Print what became of each cure that is not kept again, then the counts."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--record", type=Path, nargs="+", required=True)
    asked.add_argument("--now", type=Path, required=True)
    given = asked.parse_args()
    before = [row for path in given.record for row in _rows(path)]
    for line in compared(before, _rows(given.now)):
        print(line)


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def compared(before: list[Row], now: list[Row]) -> list[str]:
    """The lines of the report."""
    again = {row["case"]: row for row in now if "not_run" not in row}
    counts: Counter[str] = Counter()
    lines = []
    for row in before:
        cures = [cure for cure, entry in _ledger(row) if entry["kept"]]
        if row["case"] not in again:
            counts["not run"] += len(cures)
            continue
        entries = dict(_ledger(again[row["case"]]))
        for cure in cures:
            entry = entries.get(cure)
            word = "offered no more" if entry is None else "kept again" if entry["kept"] else "dropped"
            counts[word] += 1
            if word != "kept again":
                lines.append(
                    f"{cure[0]}: {cure[2]}: {cure[3]}: {word}{'' if entry is None else ': ' + entry['reason']}"
                )
    run = sum(counts.values()) - counts["not run"]
    parts = ", ".join(f"{counts[word]} {word}" for word in ("dropped", "offered no more"))
    return [*lines, f"{counts['kept again']} of {run} cures are kept again ({parts}); {counts['not run']} not run"]


def _ledger(row: Row) -> list[tuple[Cure, Row]]:
    return [((row["case"], one["path"], one["line"], one["title"]), one) for one in row.get("ledger", ())]


if __name__ == "__main__":
    main()
