"""What the interpreter believes that operations return, against torch, over every measured operation.

    python -m benchmarks.results            # all of them: some ten minutes of one core
    python -m benchmarks.results --every 8  # every eighth

Prints how many beliefs do not hold, by operation, and of how many results dtype class, rank and sizes are known.
`tests/interp/core/test_measured.py` runs every fortieth operation and allows none to be wrong.
The results are in `benchmarks/log/results.md`.
"""

from __future__ import annotations

import argparse
from collections import Counter

from tests.interp.core.test_measured import Known, judged, names

_TOGETHER = 40  # operations in one process of torch


def main() -> int:
    """Print the figures; 1 where a belief does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--every", type=int, default=1, help="only every Nth operation")
    parser.add_argument("--verbose", action="store_true", help="every wrong belief")
    asked = parser.parse_args()
    operations = names()[:: asked.every]
    failed: list[str] = []
    known = Known()
    for first in range(0, len(operations), _TOGETHER):
        wrong, found = judged(operations[first : first + _TOGETHER])
        failed, known = failed + wrong, known.and_(found)
        done = min(first + _TOGETHER, len(operations))
        print(f"{done} of {len(operations)} operations: {len(failed)} of {known.total} wrong", flush=True)
    dtypes, ranks, sizes = known.shares
    print(f"dtype class known of {dtypes:.1%}, rank of {ranks:.1%}, all sizes of {sizes:.1%}")
    for name, count in Counter(line.partition("(")[0] for line in failed).most_common():
        print(f"{count:5} {name}")
    if asked.verbose:
        print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
