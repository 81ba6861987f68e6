"""Record what the programs do: run each, compiled and as plain Python, in a process of its own. Needs torch.

    python -m benchmarks.reports.record                      # all programs, to labels-2.13.jsonl
    python -m benchmarks.reports.record --only batch_of_one --print
    python -m benchmarks.reports.record --set around         # another set of programs, to labels-around-2.13.jsonl

The first line of a program says what happens in it (`# CAUSE`, and `; pair_of=NAME` for a corrected form). A comment
`#! KIND` or `#! recompile CAUSE` at a line says that a finding of the kind should name this line or another one so
marked; several are separated by commas. A run decides whether the kinds are true: what is marked and does not happen,
and what happens and is not marked, is printed, and the exit is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import multiprocessing
import os
import re
import runpy
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.reports.__main__ import FOLDER, SETS, labels_in

_MARK = re.compile(r"#! (?P<marks>.+)$")
_CAUSES = ("input", "state", "instance")


def marks_of(text: str) -> tuple[dict[str, list[int]], str | None]:
    """The lines that a program marks by kind, and the cause of its recompiles."""
    lines: dict[str, list[int]] = {}
    cause = None
    for number, line in enumerate(text.splitlines(), 1):
        found = _MARK.search(line)
        for mark in found.group("marks").split(",") if found else ():
            kind, *rest = mark.split()
            cause = next((one for one in rest if one in _CAUSES), cause)
            if number not in lines.setdefault(kind, []):
                lines[kind].append(number)
    return lines, cause


def run(path: str, compiled: bool) -> dict[str, Any]:
    """What a program does: recompiles, breaks, graphs, what it prints, what it raises. For a process of its own."""
    import torch
    import torch._dynamo

    from benchmarks.recompiles.record import Recording, listening

    torch.set_num_threads(1)
    torch.manual_seed(0)
    recording = Recording()
    if not compiled:
        torch.compile = lambda model=None, **_: model if model is not None else (lambda inner: inner)
        torch.nn.Module.compile = lambda *_, **__: None
    folder = f"{os.path.dirname(path)}/"
    printed = io.StringIO()
    torch._dynamo.utils.counters.clear()
    with listening(recording, folder), contextlib.redirect_stdout(printed):
        try:
            runpy.run_path(path, run_name="__main__")
        except Exception as error:  # noqa: BLE001 - whatever the recorded program raises is the record
            recording.error = f"{type(error).__name__}: {error}".partition("\n")[0]
    return {
        "error": recording.error or None,
        "graphs": int(torch._dynamo.utils.counters["stats"]["unique_graphs"]),
        "recompiles": recording.recompiles,
        "breaks": recording.breaks,
        "limit_hit": recording.limit_hit,
        "traced_lines": {file: sorted(lines) for file, lines in recording.traced.items()},
        "printed": printed.getvalue(),
    }


def label(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The label of a program, and where its marks and its run disagree."""
    text = path.read_text()
    lines, cause = marks_of(text)
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        got = pool.apply(run, (str(path), True))
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        plain = pool.apply(run, (str(path), False))
    happens = set()
    if got["recompiles"]:
        happens.add("recompile")
    if got["breaks"]:
        happens.add("break")
    if got["error"] and (not plain["error"] or "error" in lines):
        happens.add("error")
    elif got["printed"] != plain["printed"] or got["error"] != plain["error"]:
        happens.add("wrong")
    head, _, pair = text.splitlines()[0].removeprefix("# ").partition("; pair_of=")
    notes = []
    marked = set(lines)
    if "break" in marked:  # what is compiled again behind a graph break follows from it
        happens.discard("recompile")
    if marked & {"wrong", "error"} and happens & {"wrong", "error"}:  # which of the two, the last line decides
        happens = (happens - {"wrong", "error"}) | (marked & {"wrong", "error"})
    for kind in sorted((marked ^ happens) - {"slow"}):
        notes.append(f"{path.stem}: {kind} is {'marked and does not happen' if kind in marked else 'not marked'}")
    row = {
        "case": f"reports/{path.stem}",
        "files": [path.name],
        "pair_of": pair.strip() or None,
        "kinds": sorted(marked),
        "lines": {kind: {path.name: numbers} for kind, numbers in lines.items()},
        "recompile_cause": cause if "recompile" in marked else None,
        "cause": head,
        "ran": True,
        "graphs": got["graphs"],
        "error": got["error"],
        "limit_hit": got["limit_hit"],
        "breaks": got["breaks"],
        "recompiles": got["recompiles"],
        "traced_lines": got["traced_lines"],
    }
    if notes or "slow" in marked or (not marked and not got["graphs"]):
        reasons = [one["guard"] for one in got["recompiles"][:2]]
        notes.append(
            f"    graphs {got['graphs']}, {got['error']}, eager {plain['error']}, {reasons}, {got['breaks'][:1]}"
        )
    return row, notes


def programs(which: str, only: Sequence[str] = ()) -> Iterator[Path]:
    """The programs of a set, or those of it that are named."""
    for path in sorted((FOLDER / which).glob("*.py")):
        if not only or path.stem in only:
            yield path


def _case(row: dict[str, Any]) -> str:
    return str(row["case"])


def main(argv: Sequence[str] | None = None) -> int:
    """Record the programs; 1 where marks and runs disagree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--set", choices=SETS, default=SETS[0], help="the folder of programs")
    parser.add_argument("--print", action="store_true", help="write no file")
    given = parser.parse_args(argv)
    import torch
    import torch._dynamo  # noqa: F401

    rows = []
    disagree = False
    for path in programs(given.set, given.only):
        row, notes = label(path)
        rows.append(row)
        disagree = disagree or any("marked" in note for note in notes)
        for note in notes:
            print(note, flush=True)
    if given.only:
        new = {row["case"] for row in rows}
        known = labels_in(given.set).read_text().splitlines()
        rows = sorted([*rows, *(row for row in map(json.loads, known) if row["case"] not in new)], key=_case)
    if not given.print:
        text = "".join(json.dumps(row) + "\n" for row in rows)
        labels_in(given.set).write_text(text)
    return int(disagree)


if __name__ == "__main__":
    sys.exit(main())
