"""The recorded rows of the registry's programs: where they stand, and how they are read and written. Knows no torch."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
PROGRAMS = FOLDER / "programs"
REACH = FOLDER / "reach"
LABELS = "labels-{}.jsonl"
VERSIONS = ("2.13", "2.15")

Row = dict[str, Any]


def read(path: Path) -> list[Row]:
    """The rows of a file of labels; none where it does not exist yet."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write rows in the order of their cases, a line each."""
    ordered = sorted(rows, key=lambda row: str(row["case"]))
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ordered), encoding="utf-8")


def ids_of(row: Row) -> set[str]:
    """The ids that a row shows: of breaks, of what torch met while it handled them, and of failed compilations."""
    found = {gb for one in row["breaks"] for gb in (one["gb"], *one["chain"])}
    return found - {""}
