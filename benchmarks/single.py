"""How true findings are where hooks and editors stand: each file that defines a recorded model, linted alone.

    python -m benchmarks.single                          print the table for the transformers recordings
    python -m benchmarks.single --update                 and write it to benchmarks/accuracy.md
    python -m benchmarks.single --files 20 --misses      a sample, and every wrong finding and missed break in it
    python -m benchmarks.single --truth T.jsonl.gz --root FOLDER     any other recording and the sources it is of

A finding (a graph break, likely or better) is true where a frame of a recorded break's stack, or the break's own span,
stands in its first three lines; false where a recorded case traced one of them and no break passes there; else it is
not judged. A break is found if a finding covers one of its frames in the file. Files are the modules of recorded
models (`model_class`); in a recording that names none, every file with a traced line. The engine is tuned on half of
the model types, drawn by the first digit of the SHA-256 of their name; the other half is only scored.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import score
from benchmarks.reproduce import PAGE, PINS, ROOT, TRUTH, fetch, replaced, shown, table_of

RECORDINGS = (TRUTH / f"transformers-{PINS['transformers']}-torch-2.13.0.jsonl.gz",)
LINES = 3  # of a finding count: the statement's head, not the block it opens
SAMPLE_SEED = 1

Case = Mapping[str, Any]
Lines = tuple[int, int]


@dataclass(frozen=True)
class Break:
    """A recorded break as one file sees it: the lines of its stack there, and its span if it lies there."""

    file: str
    line: int
    here: frozenset[int]
    span: Lines | None

    def within(self, lines: Lines) -> bool:
        """Whether a finding on these lines is about this break."""
        first, last = lines
        inside = any(first <= line <= last for line in self.here)
        return inside or (self.span is not None and first <= self.span[1] and last >= self.span[0])


@dataclass
class Score:
    """What files linted alone came to; `cpu` is in seconds over all of them."""

    files: int = 0
    true: int = 0
    false: int = 0
    unjudged: int = 0
    breaks: int = 0
    found: int = 0
    clean: int = 0
    flagged: int = 0
    cpu: float = 0.0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float | None:
        return self.true / (self.true + self.false) if self.true + self.false else None

    @property
    def recall(self) -> float | None:
        return self.found / self.breaks if self.breaks else None


def module_file(case: Case) -> str:
    """The file that defines the recorded model, "" where the case names none."""
    module, _, name = (case.get("model_class") or "").rpartition(".")
    return module.replace(".", "/") + ".py" if name else ""


def files_of(cases: Sequence[Case]) -> list[str]:
    """The files to lint, sorted."""
    named = {module_file(case) for case in cases if module_file(case) in case["traced_lines"]}
    return sorted(named or {file for case in cases for file in case["traced_lines"]})


def half_of(file: str) -> str:
    """`tuned` or `held out`, by the name of the model type: the folder that the file lies in."""
    digit = hashlib.sha256(Path(file).parent.name.encode()).hexdigest()[0]
    return "held out" if int(digit, 16) % 2 else "tuned"


def breaks_in(file: str, cases: Iterable[Case]) -> list[Break]:
    """Every recorded break with a frame in the file, once each."""
    found: dict[Break, None] = {}
    for case in cases:
        for one in case["breaks"]:
            if one.get("secondary"):
                continue
            frames = {(frame[0], frame[1]) for frame in one["stack"]} | {(one["file"], one["line"])}
            here = frozenset(line for path, line in frames if path == file)
            span = one.get("span") if one["file"] == file else None
            if here:
                found[Break(one["file"], one["line"], here, None if span is None else (span[0], span[1]))] = None
    return list(found)


def claims(report: Mapping[str, Any]) -> Iterator[tuple[Lines, str]]:
    """The lines that a report shows graph breaks on, each once, with the finding in words."""
    seen: set[Lines] = set()
    for finding in report["findings"]:
        if finding["effect"] != "graph-break" or finding["confidence"] == "possible":
            continue
        first = finding["line"]
        lines = (first, min(finding.get("end_line") or first, first + LINES - 1))
        if lines not in seen:
            seen.add(lines)
            yield lines, f"{first} {finding['rule']} {finding['message']}"


def add(total: Score, file: str, report: Mapping[str, Any], cases: Sequence[Case]) -> None:
    """Judge the report on one file, and count it in."""
    breaks = breaks_in(file, cases)
    traced = {line for case in cases for line in case["traced_lines"].get(file, ())}
    shown_lines: list[Lines] = []
    alarmed = False
    for lines, words in claims(report):
        shown_lines.append(lines)
        if any(one.within(lines) for one in breaks):
            total.true += 1
        elif traced.intersection(range(lines[0], lines[1] + 1)):
            total.false += 1
            total.wrong.append(f"{file}:{words}")
            alarmed = True
        else:
            total.unjudged += 1
    total.files += 1
    total.breaks += len(breaks)
    for one in breaks:
        if any(one.within(lines) for lines in shown_lines):
            total.found += 1
        else:
            total.missed.append(f"{file}: lines {sorted(one.here)} of the break at {one.file}:{one.line}")
    if not breaks:
        total.clean += 1
        total.flagged += alarmed


def lint(path: Path, torch: str, report: Path) -> tuple[Mapping[str, Any], float]:
    """The report on one file, linted from outside of its package, and the CPU seconds that it took."""
    command = [sys.executable, "-m", "compilelint", "check", str(path), "--torch-version", torch, "--no-cache"]
    before = os.times()
    subprocess.run([*command, "--output", f"json:{report}", "--exit-zero"], check=True, cwd=report.parent)
    after = os.times()
    seconds = after.children_user - before.children_user + after.children_system - before.children_system
    return json.loads(report.read_text(encoding="utf-8")), seconds


def table(scores: Mapping[str, Score]) -> str:
    """The scores as a Markdown table."""
    columns = ["files", "linted alone", "true", "false", "precision", "breaks", "found", "recall"]
    rows = []
    for name, one in scores.items():
        cells = [name, one.files, one.true, one.false, shown(one.precision), one.breaks, one.found, shown(one.recall)]
        rows.append([*cells, f"{one.flagged} of {one.clean}", f"{one.cpu / max(one.files, 1):.2f}"])
    return table_of([*columns, "clean files with a false alarm", "CPU seconds a file"], rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Lint file by file and print the table; write it into the page when asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", type=Path, action="append", help="a recording; default: transformers")
    parser.add_argument("--root", type=Path, help="the folder that the recording's file names are relative to")
    parser.add_argument("--torch", default="2.13", help="the torch version of the recording")
    parser.add_argument("--files", type=int, help="so many files only, drawn with a fixed seed")
    parser.add_argument("--only", choices=("tuned", "held out"), help="one half of the model types")
    parser.add_argument("--misses", action="store_true", help="print wrong findings and missed breaks")
    parser.add_argument("--update", action="store_true", help="write the table to benchmarks/accuracy.md")
    args = parser.parse_args(argv)
    site = args.root or ROOT / "benchmark-cache" / "site"
    if args.root is None:
        site.mkdir(parents=True, exist_ok=True)
        fetch(site)
    cases = list(score.read_cases(args.truth or RECORDINGS))
    files = [file for file in files_of(cases) if args.only in (None, half_of(file))]
    if args.files is not None:
        files = sorted(random.Random(SAMPLE_SEED).sample(files, min(args.files, len(files))))
    scores = {name: Score() for name in ("tuned", "held out") if args.only in (None, name)}
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            report, seconds = lint((site / file).resolve(), args.torch, Path(folder) / "report.json")
            total = scores[half_of(file)]
            add(total, file, report, cases)
            total.cpu += seconds
    text = table(scores)
    print(text)
    for name, one in scores.items() if args.misses else ():
        print(f"\n{name}: wrong", *one.wrong, f"{name}: missed", *one.missed, sep="\n  ")
    if args.update:
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), "single", text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
