"""Views by sizes against torch, over random programs.

    python -m benchmarks.views --programs 3000

Prints how many views of random programs raise in torch for every choice of sizes, how many of these are said to, and
those that are said to raise although they run for one (none may). `tests/interp/devices/test_views.py` runs 250 of
them; `tests/support/view_programs.py` makes them. The results are in `benchmarks/log/results.md`.
"""

from __future__ import annotations

import argparse

from tests.support.view_programs import judged


def main() -> int:
    """Print the figures; 1 where something is said to raise that runs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", type=int, default=3_000, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the programs")
    asked = parser.parse_args()
    wrong, counts = judged(asked.seed, asked.programs)
    print(", ".join(f"{what}: {count}" for what, count in counts.items()))
    print(f"said to raise although they run: {len(wrong)}")
    print("\n\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
