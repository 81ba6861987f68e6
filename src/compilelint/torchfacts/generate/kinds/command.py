"""Measures kinds of objects: `python -m compilelint.torchfacts.generate.kinds [--check | --install] [KIND ...]`.

`--check` measures again and names what the shipped table of this version has otherwise; `--every N` takes each N-th
kind alone. `--install` needs all kinds, and writes them to the shipped data: whole for the newest version, for older
ones the kinds that differ. `--work FILE` keeps results on the way; a run that was interrupted goes on where it stopped.
It takes some minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from compilelint.torchfacts import store
from compilelint.torchfacts.generate.apart import forked
from compilelint.torchfacts.generate.kinds.measure import measured, quickened
from compilelint.torchfacts.generate.kinds.programs import MEMBERS, objects, operations
from compilelint.torchfacts.generate.measure import quieten
from compilelint.torchfacts.kinds import (
    INSIDE,
    NOT_EAGER,
    OUTSIDE,
    Kind,
    Kinds,
    file_of,
    kinds_of,
    packed,
    read_kinds,
    shipped_versions,
)

_TOGETHER = 8  # kinds that are measured before they are written down
Rows = dict[str, dict[str, str]]


def measure_all(kinds: Sequence[str], work: Path) -> dict[str, Rows]:
    """The outcomes of each kind, by where the object was made; `work` holds those known and gets the others."""
    lines = work.read_text(encoding="utf-8").splitlines() if work.exists() else []
    known: dict[str, Rows] = dict(json.loads(line) for line in lines)
    left = [one for kind in kinds for one in (kind, kind + MEMBERS) if one not in known]
    if left:
        quieten()
        quickened()
    here = Path.cwd()
    work = work.resolve()
    with tempfile.TemporaryDirectory(prefix="torchfacts-") as scratch:
        os.chdir(scratch)  # some members write files
        for at in range(0, len(left), _TOGETHER):
            found = forked(measured, left[at : at + _TOGETHER])
            known.update(found)
            with work.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps([name, rows]) + "\n" for name, rows in found.items())
        os.chdir(here)
    return {kind: _joined(known.get(kind, {}), known.get(kind + MEMBERS, {})) for kind in kinds}


def _joined(*parts: Rows) -> Rows:
    """Operations and members of one kind, without what does not run uncompiled."""
    rows: Rows = {}
    for where in (INSIDE, OUTSIDE):
        cells = [(name, outcome) for part in parts for name, outcome in part.get(where, {}).items()]
        rows[where] = {name: outcome for name, outcome in cells if outcome != NOT_EAGER}
    return rows


def install(version: str, found: Mapping[str, Rows], data: Path = store.DATA) -> list[Path]:
    """Writes the kinds of a version beside those that `data` has: the newest whole, the others as what differs."""
    tables = {one: _rows_of(read_kinds(one, data)) for one in shipped_versions(data)}
    tables[version] = {kind: dict(rows) for kind, rows in sorted(found.items()) if rows[INSIDE] or rows[OUTSIDE]}
    names = list(operations())
    written = []
    newer: str | None = None
    for one in sorted(tables, key=store.key_of, reverse=True):
        base = {} if newer is None else tables[newer]
        kinds = {kind: packed(rows, names) for kind, rows in tables[one].items() if base.get(kind) != rows}
        gone = " ".join(kind for kind in base if kind not in tables[one])
        whole = {"operations": " ".join(names)} if newer is None else {"base": newer, "gone": gone}
        path = data / file_of(one)
        content: dict[str, Any] = {"schema": store.SCHEMA, "torch": one, **whole, "kinds": kinds}
        path.write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")
        written.append(path)
        newer = one
    return written


def _rows_of(kinds: Kinds) -> dict[str, Rows]:
    return {name: {INSIDE: dict(kinds[name].inside), OUTSIDE: dict(kinds[name].outside)} for name in kinds}


def differences(version: str, found: Mapping[str, Rows], data: Path = store.DATA) -> list[str]:
    """A line for each cell that the shipped table of the version has otherwise, or not at all."""
    shipped = kinds_of(version, data)
    lines = []
    for name, rows in found.items():
        kind = shipped[name] if name in shipped else Kind({}, {})
        for where, known in ((INSIDE, kind.inside), (OUTSIDE, kind.outside)):
            for operation in dict.fromkeys((*rows[where], *known)):
                old, new = known.get(operation, "nothing"), rows[where].get(operation, "nothing")
                if old != new:
                    lines.append(f"{name} {where} {operation}: shipped {old}, measured {new}")
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Answers the exit code: 0 fine, 1 the shipped table differs."""
    parser = argparse.ArgumentParser(
        prog="python -m compilelint.torchfacts.generate.kinds",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="compare with the shipped table")
    mode.add_argument("--install", action="store_true", help="write the shipped table of this version")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th kind alone")
    parser.add_argument("--work", type=Path, help="file of results on the way")
    parser.add_argument("kinds", nargs="*", help="kinds to measure (all)")
    options = parser.parse_args(argv)
    kinds = (options.kinds or list(objects()))[:: options.every]
    if options.install and set(kinds) != set(objects()):
        parser.error("--install needs all kinds")
    version = torch.__version__.partition("+")[0]
    with tempfile.TemporaryDirectory(prefix="torchfacts-") as scratch:
        found = measure_all(kinds, options.work or Path(scratch) / "kinds.jsonl")
    cells = sum(len(row) for rows in found.values() for row in rows.values())
    print(f"torch {version}: {cells} operations on {len(found)} kinds measured", file=sys.stderr)
    if options.install:
        print("\n".join(map(str, install(version, found))))
        return 0
    lines = differences(version, found)
    print("\n".join(lines) or f"the shipped table of torch {version} agrees")
    return 1 if lines else 0
