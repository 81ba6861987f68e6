"""Check the table of graph-break ids, write it, and measure which programs the lint finds.

    python -m benchmarks.registry             # check the page; 1 if it is out of date
    python -m benchmarks.registry --update    # and write it
    python -m benchmarks.registry --measure   # lint the programs first, and write what is found (predicted.json)
    python -m benchmarks.registry --missed    # print the programs that the lint does not find, by id

It loads no torch; `benchmarks.registry.record` makes the labels.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence

from benchmarks.registry import table
from benchmarks.registry.labels import PROGRAMS, VERSIONS, Row
from compilelint.config import Options
from compilelint.dynamic.scoring import Hit, hits_of
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint

_LONGEST = 15  # lines of a statement that a finding may meet


def found_now(version: str) -> list[str]:
    """`CASE ID` for each program with an id whose recorded line is reported, every function being a root."""
    hits = _hits(version)
    rows = table.labels()[version]
    wanted = [(case, gb_id) for gb_id, one in table.reaches().items() for case in one.breaking if case in rows]
    return sorted({f"{case} {gb_id}" for case, gb_id in wanted if _found(rows[case], gb_id, hits)})


def _hits(version: str) -> list[Hit]:
    """Findings that say that a graph ends, or that a call fails."""
    report = json.loads(render(lint(Options((str(PROGRAMS),), ("all",), torch_version=version)), "json"))
    return [hit for effect in ("graph-break", "error") for hit in hits_of(report, PROGRAMS, effect)]


def _found(row: Row, gb_id: str, hits: Sequence[Hit]) -> bool:
    """Whether a finding lies on the statement of a break that shows the id."""
    for one in row["breaks"]:
        first, last = one["span"]
        last = min(last, first + _LONGEST - 1)
        if gb_id in (one["gb"], *one["chain"]):
            return any(hit.file == one["file"] and hit.first <= last and hit.last >= first for hit in hits)
    return False


def missed() -> Iterator[str]:
    """A line for each program that no finding meets: version, id, case."""
    for one in table.lines():
        for version in VERSIONS:
            left = [case for case in one.shown[version] if case not in one.predicted[version]]
            yield from (f"{version} {one.entry.gb_id} {case}  ({one.entry.type})" for case in left)


def main(argv: Sequence[str] | None = None) -> int:
    """Answers the exit code: 0 the page is that of the data, 1 it is out of date."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.registry", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--update", action="store_true", help="write the page")
    parser.add_argument("--measure", action="store_true", help="lint the programs and write what is found")
    parser.add_argument("--missed", action="store_true", help="print the programs that are not found")
    args = parser.parse_args(argv)
    if args.measure:
        found = {version: found_now(version) for version in VERSIONS}
        table.PREDICTED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    lines = list(table.lines())
    wanted = {table.PAGE: table.page(lines), table.SHIPPED: table.shipped(lines)}
    if args.update:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
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
