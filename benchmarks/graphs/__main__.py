"""Hold the graphs that the lint expects of each root against those that were recorded.

    python -m benchmarks.graphs --site SITE                 # programs, and models of the libraries in SITE
    python -m benchmarks.graphs --misses                    # the roots with another number, too

A graph is one in which an operation is captured. Roots that raise when they are called are left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.graphs.record import CASES, FOLDER
from compilelint.config import Options
from compilelint.session.commands.lint import lint


def rows(which: str, torch: str) -> list[dict[str, Any]]:
    """What was recorded."""
    text = (FOLDER / f"{which}-{torch}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def expected(folder: Path, paths: Sequence[str], torch: str) -> Mapping[tuple[str, str], tuple[int, int, bool]]:
    """The fewest and the most graphs that the lint expects, by file and qualified name of the root."""
    options = Options(
        tuple(str(folder / path) for path in paths), torch_version=torch, no_cache=True, jobs=1, roots=("auto", "all")
    )
    found: dict[tuple[str, str], tuple[int, int, bool]] = {}
    for root in lint(options).roots:
        key = Path(root.location.path).resolve().relative_to(folder.resolve()).as_posix(), root.spec.partition(":")[2]
        fewest = root.graphs if root.fewest is None else root.fewest
        known = found.get(key, (fewest, root.graphs, False))
        found[key] = min(known[0], fewest), max(known[1], root.graphs), known[2] or root.again
    return found


def compared(which: str, folder: Path, torch: str) -> Iterator[tuple[str, int, tuple[int, int, bool]]]:
    """Case, graphs recorded, fewest and most graphs expected."""
    known = [row for row in rows(which, torch) if not row["raised"]]
    found = expected(folder, sorted({row["root"][0] for row in known}), torch)
    for row in known:
        file, _, name = row["root"]
        said = found.get((file, name.replace(".<locals>", "")))
        if said is not None:
            yield row["case"], len(row["graphs"]), said


def summary(found: Sequence[tuple[str, int, tuple[int, int, bool]]]) -> str:
    """Shares of roots whose number is said exactly and whose number lies in what is said; widths of the ranges."""
    exact, widths = 0, Counter[str]()
    off: Counter[int] = Counter()
    for _, recorded, (fewest, most, again) in found:
        exact += fewest == recorded == most and not again
        beyond = 0 if again else recorded - most
        off[min(max(fewest - recorded, beyond, 0), 2)] += 1
        widths["open" if again else str(most - fewest)] += 1
    spread = ", ".join(f"{width}: {widths[width]}" for width in sorted(widths, key=lambda one: (len(one), one)))
    return (
        f"{exact} exact, {off[0]} inside, {off[1]} off by one, {off[2]} further, of {len(found)}; "
        f"most minus fewest: {spread}"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", type=Path, help="the folder of the libraries whose models were recorded")
    parser.add_argument("--torch", default="2.13")
    parser.add_argument("--misses", action="store_true", help="print the roots with another number")
    asked = parser.parse_args(argv)
    for which, folder in (("programs", CASES), ("models", asked.site)):
        if folder is None:
            continue
        found = list(compared(which, folder, asked.torch))
        for case, recorded, (fewest, most, again) in found if asked.misses else ():
            if not fewest == recorded == most:
                sys.stdout.write(f"{case}: {recorded} recorded, {fewest} to {most}{' or more' * again} expected\n")
        sys.stdout.write(f"{which}: {summary(found)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
