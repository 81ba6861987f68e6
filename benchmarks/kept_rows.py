"""Rows that an interrupted run has measured, so that the next goes on behind them (`benchmarks.speed --resume`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from benchmarks.measuring import Cost
from benchmarks.tables import Row


class KeptRows:
    """Rows by their names in a file, which is written after each; without a file nothing is kept.

    Code and machine must be the same as before: nothing here holds them against each other.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        there = file is not None and file.exists()
        self._known = json.loads(file.read_text(encoding="utf-8")) if there and file is not None else {}

    def row(self, what: str, measure: Callable[[], Row]) -> Row:
        """The row of that name: kept, else measured now; one that could not be measured is tried again."""
        known = self._known.get(what)
        if known is not None:
            return Row(what, known["size"], Cost(**known["cost"]), known["read"])
        row = measure()
        if self._file is not None and row.cost is not None:
            self._known[what] = {"size": row.size, "cost": asdict(row.cost), "read": row.read}
            self._file.write_text(json.dumps(self._known, indent=1), encoding="utf-8")
        return row
