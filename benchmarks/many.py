"""Very many files in one run: what they cost in CPU seconds a MB and in memory, beside LibCST on one file in ten.

    python -m benchmarks.many PACKAGE ... [--files 12000] [--jobs 1 --jobs 2] [--limit 3600]

The packages are folders, named in an order that is kept; each is copied into a folder of its own, so that no name is
there twice, until so many files are reached. Without a cache, as `benchmarks.speed`. A run that is stopped at the limit
has a row that says so. Reports of several numbers of processes are compared byte for byte.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measuring import Cost, checked, lint_command, measured, megabytes, parse_command, parses, sources
from benchmarks.reproduce import table_of


def copied(packages: Sequence[Path], most: int, to: Path) -> list[Path]:
    """The copies of up to so many files of packages."""
    made: list[Path] = []
    for number, package in enumerate(packages):
        for file in sources(package)[: most - len(made)]:
            copy = to / f"{number:02}" / package.name / file.relative_to(package)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
            made.append(copy)
    return made


def _is_utf_8(file: Path) -> bool:
    try:
        return bool(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        return False


def row(jobs: int, files: Sequence[Path], cost: Cost, floor: float) -> list[object]:
    """One run; `floor` is LibCST's CPU seconds for a MB."""
    size = megabytes(files)
    each = cost.cpu / size
    ended = "yes" if cost.code == 0 else f"no: code {cost.code} after {cost.wall:.0f} s"
    seconds = [f"{cost.cpu:.0f}", f"{cost.wall:.0f}"]
    times = f"{each / floor:.2f}" if cost.code == 0 else ""
    return [jobs, f"{len(files):,}", f"{size:.1f}", *seconds, f"{each:.2f}", times, f"{cost.peak:.0f}", ended]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print the table; 1 where a run did not end or reports differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="+", type=Path, metavar="PACKAGE")
    parser.add_argument("--files", type=int, default=12_000, metavar="N")
    parser.add_argument("--jobs", type=int, action="append", metavar="N", help="processes; repeats (default: 1)")
    parser.add_argument("--limit", type=float, default=3600.0, metavar="SECONDS", help="wall seconds of one run")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        tree, scratch = Path(folder) / "tree", Path(folder)
        files = copied([package.resolve() for package in args.packages], args.files, tree)
        some = [file for file in files[::10] if parses(file) and _is_utf_8(file)]
        listing = scratch / "listing.txt"
        listing.write_text("\n".join(map(str, some)), encoding="utf-8")
        floor = checked(parse_command("libcst", listing)).cpu / megabytes(some)
        rows, reports = [], set()
        for jobs in args.jobs or [1]:
            report = scratch / f"{jobs}.json"
            cost = measured(lint_command([tree], report, jobs), args.limit)
            rows.append(row(jobs, files, cost, floor))
            print(*rows[-1], flush=True)
            reports.add(report.read_bytes() if cost.code == 0 else b"")
    columns = [
        "processes",
        "files",
        "MB",
        "CPU s",
        "wall s",
        "CPU s per MB",
        "times LibCST",
        "peak MB, largest process",
        "ended",
    ]
    print(f"LibCST takes {floor:.2f} CPU s a MB of one file in ten.", "", table_of(columns, rows), sep="\n")
    return 1 if len(reports) > 1 or b"" in reports else 0


if __name__ == "__main__":
    sys.exit(main())
