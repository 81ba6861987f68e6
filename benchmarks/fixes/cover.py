"""Choose cases that show every recorded break at least once, the cheapest first.

    python cover.py --truth TRUTH.jsonl.gz... --cases CASES.jsonl > COVER.jsonl

Cost is the number of lines that the recorder saw traced, plus a fixed price for building a model; the case with the
most uncovered places for its cost is taken next, until every place is covered. Cases that cannot be rebuilt (not in
`--cases`) are left out, and the places they alone show are listed on stderr.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

_PRICE_OF_A_CASE = 300


def main() -> None:
    """Print the chosen cases as JSON lines, cheapest first."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--truth", nargs="+", required=True)
    asked.add_argument("--cases", required=True)
    given = asked.parse_args()
    known = {json.loads(line)["case"]: line for line in Path(given.cases).read_text(encoding="utf-8").splitlines()}
    shows: dict[str, set[tuple[str, int]]] = {}
    costs: dict[str, int] = {}
    for path in given.truth:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                case = json.loads(line)
                places = {(one["file"], one["line"]) for one in case["breaks"] if not one.get("secondary")}
                if places:
                    shows[case["case"]] = places
                    traced = sum(len(numbers) for numbers in case["traced_lines"].values())
                    costs[case["case"]] = _PRICE_OF_A_CASE + traced
    left: set[tuple[str, int]] = set().union(*shows.values())
    chosen = []
    while True:
        best = max(known.keys() & shows.keys(), key=lambda case: (len(shows[case] & left) / costs[case], case))
        if not shows[best] & left:
            break
        chosen.append(best)
        left -= shows[best]
    for case in sorted(chosen, key=lambda case: costs[case]):
        print(known[case])
    print(f"{len(chosen)} cases; {len(left)} places that no known case shows", file=sys.stderr)


if __name__ == "__main__":
    main()
