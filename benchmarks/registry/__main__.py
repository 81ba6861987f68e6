"""Check the table of graph-break ids, write it, and measure which programs the lint finds.

    python -m benchmarks.registry             # check the page; 1 if it is out of date
    python -m benchmarks.registry --update    # and write it
    python -m benchmarks.registry --ids       # print a row for each id
    python -m benchmarks.registry --measure   # lint the programs first, and write what is found (predicted.json)
    python -m benchmarks.registry --missed    # print the programs of the read half that the lint does not find, by id

It loads no torch; `benchmarks.registry.record` makes the labels.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence

from benchmarks.registry import measure, table
from benchmarks.registry.labels import VERSIONS


def _measure() -> None:
    """Lint the programs in both ways, print the scores of the halves, and write what is found."""
    reaches, labels = table.reaches(), table.labels()
    found: dict[str, dict[str, list[str]]] = {way: {} for way in measure.WAYS}
    for version in VERSIONS:
        for way in measure.WAYS:
            known = measure.findings(version, way, labels[version])
            found[way][version] = measure.found(reaches, labels[version], known)
            for half, score in measure.scores(labels[version], known):
                counted = f"{score['found']} of {score['break_lines']} breaks, {score['recall']:.3f}"
                print(f"{version} {way:6} {half:8} {counted}, precision {score['precision']:.3f}")
    table.PREDICTED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def missed() -> Iterator[str]:
    """A line for each program of the read half that no finding meets, with its caller: version, id, case."""
    for one in table.lines():
        for version in VERSIONS:
            left = [case for case in one.shown[version] if case not in one.called[version]]
            read = [case for case in left if measure.half_of(case) == measure.HALVES[0]]
            yield from (f"{version} {one.entry.gb_id} {case}  ({one.entry.type})" for case in read)


def main(argv: Sequence[str] | None = None) -> int:
    """Answers the exit code: 0 the page is that of the data, 1 it is out of date."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.registry", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--update", action="store_true", help="write the page")
    parser.add_argument("--measure", action="store_true", help="lint the programs and write what is found")
    parser.add_argument("--ids", action="store_true", help="print a row for each id")
    parser.add_argument("--missed", action="store_true", help="print the programs that are not found")
    args = parser.parse_args(argv)
    if args.measure:
        _measure()
    lines = list(table.lines())
    wanted = {table.PAGE: table.page(lines), table.SHIPPED: table.shipped(lines)}
    if args.update:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
    if args.ids:
        print(table.ids(lines))
    if args.missed:
        print("\n".join(missed()))
    for problem in table.problems():
        print(problem, file=sys.stderr)
    old = [path.name for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if old:
        print(f"{' and '.join(old)}: out of date, run `python -m benchmarks.registry --update`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
