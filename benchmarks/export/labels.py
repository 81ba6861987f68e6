"""The recorded rows: where they stand, how they are read and written, and which half a case is in. Knows no torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
PROGRAMS = FOLDER / "programs"
VERSIONS = ("2.13", "2.15")
WAYS = ("strict", "non-strict")

Row = dict[str, Any]


def labels(version: str, kind: str = "labels") -> Path:
    """The file of one version of torch: `labels` of the programs, or `pages` of the rules."""
    return FOLDER / f"{kind}-{version}.jsonl"


def read(version: str, kind: str = "labels") -> list[Row]:
    """The rows of one version."""
    return [json.loads(line) for line in labels(version, kind).read_text(encoding="utf-8").splitlines()]


def write(version: str, rows: Iterable[Row], kind: str = "labels") -> None:
    """Write rows in the order of their cases, a line each."""
    ordered = sorted(rows, key=lambda row: str(row["case"]))
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ordered)
    labels(version, kind).write_text(text, encoding="utf-8")


def held_out(case: str) -> bool:
    """Whether a case is in the half that rules and tables are not written from."""
    return hashlib.sha1(case.encode()).digest()[0] % 2 == 0
