"""Rebuild recorded models and hold the breaks that `verify` observes against the recorded ones, statement by statement.

The recordings (`benchmarks/truth`) were made by a recorder of its own, with hooks and processes of its own. What is
built again, and from what, stands in `recipes.jsonl.gz` (see `rebuild`): a sample of the recorded cases, a model class
once, two thirds of them breaking. In an environment with the recorded versions:

    pip install -e '.[test-dynamic]' transformers==5.23.0 diffusers==0.42.1
    python -m benchmarks.verify.agree
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from random import Random
from typing import Any

from compilelint.dynamic.observations import statement_at
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.scoring import read_cases
from compilelint.dynamic.targets import Target
from compilelint.model import Fate, TargetRun

TRUTH = Path(__file__).resolve().parents[1] / "truth"
RECIPES = Path(__file__).with_name("recipes.jsonl.gz")
SEED = 7


@dataclass(frozen=True)
class Row:
    """One model: the statements (file, first line) that broke in the recording and in our run."""

    case: str
    recorded: frozenset[tuple[str, int]]
    observed: frozenset[tuple[str, int]]
    run: TargetRun

    @property
    def same(self) -> bool:
        """The run broke where the recording did and nowhere else."""
        return self.run.fate is Fate.RAN and self.recorded == self.observed


def _breaks(case: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for one in case["breaks"] if not one.get("secondary")]


def target(case: Mapping[str, Any]) -> Target:
    """How to build a recorded case again."""
    name = str(case["case"])
    factory = f"{Path(__file__).with_name('rebuild.py')}:model"
    return Target(factory, name=name, arguments={"case": name}, mode=str(case["mode"]), timeout=600.0)


def rows(cases: Sequence[Mapping[str, Any]], options: argparse.Namespace) -> list[Row]:
    """Run the cases, as many as the time budget allows, and compare."""
    settings = Settings(
        python=options.python,
        paths=(os.path.abspath(options.root),),
        repeats=1,
        parity=options.parity,
        environment={"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"},
    )

    found: list[Row] = []
    started = time.monotonic()

    def take(number: int, run: TargetRun) -> None:
        print(f"{number + 1}/{len(cases)} {run.target} {run.fate.value} {run.seconds} s", file=sys.stderr, flush=True)
        found.append(row(cases[number], run, os.path.abspath(options.root) + "/"))
        if time.monotonic() - started > options.budget:
            raise _OutOfTime

    with contextlib.suppress(_OutOfTime):
        observe([target(case) for case in cases], settings, take)
    return found


class _OutOfTime(Exception):  # noqa: N818 - no error: the rows so far are the result
    pass


def row(case: Mapping[str, Any], run: TargetRun, root: str) -> Row:
    """One comparison. Both sides charge a break to the innermost frame of the case's own library."""
    recorded = frozenset((str(one["file"]), int(one["span"][0])) for one in _breaks(case))
    library = str(case["library"])
    breaks = [one for one in run.breaks if not one.after]
    observed = {(_own(one.stack, root, library) or (one.path, one.first_line)) for one in breaks}
    return Row(str(case["case"]), recorded, frozenset((path.removeprefix(root), n) for path, n in observed), run)


def _own(stack: Any, root: str, library: str) -> tuple[str, int] | None:
    """The innermost frame of the case's own library; the factory's folder is where our target stands."""
    inside = [step for step in stack if step.path.startswith(f"{root}{library}/")]
    return (inside[-1].path, statement_at(inside[-1].path, inside[-1].line)[0]) if inside else None


def table(found: Sequence[Row]) -> str:
    """The results as Markdown: totals, then every difference."""
    ran = [row for row in found if row.run.fate is Fate.RAN]
    same = sum(row.same for row in found)
    statements = sum(len(row.recorded) for row in ran)
    both = sum(len(row.recorded & row.observed) for row in ran)
    extra = sum(len(row.observed - row.recorded) for row in ran)
    equal = sum(row.run.parity is not None and row.run.parity.holds for row in ran)
    lines = [
        f"{len(found)} models, {len(ran)} ran; in {same} the statements that broke are those recorded.",
        f"Of {statements} recorded statements {both} broke again; {extra} broke that are not recorded.",
        f"Compiled gave what eager gives in {equal} of {len(ran)}." if any(row.run.parity for row in ran) else "",
        "",
        "| case | only recorded | only observed | fate |",
        "|---|---|---|---|",
    ]
    for row in found:
        if not row.same:
            fate = row.run.fate.value if row.run.fate is Fate.RAN else f"{row.run.fate.value}: {row.run.detail[:160]}"
            cells = (_places(row.recorded - row.observed), _places(row.observed - row.recorded))
            lines.append(f"| {row.case} | {cells[0]} | {cells[1]} | {fate} |".replace("\n", " "))
    lines += ["", "| case | what differs between eager and compiled |", "|---|---|"]
    for row in ran:
        if row.run.parity is not None and not row.run.parity.holds:
            why = row.run.parity.unknown or "; ".join(f"{d.name}: {d.text}" for d in row.run.parity.divergences[:2])
            lines.append(f"| {row.case} | {why[:300]} |".replace("\n", " "))
    return "\n".join(lines) + "\n"


def _places(places: frozenset[tuple[str, int]]) -> str:
    return ", ".join(f"{file}:{line}" for file, line in sorted(places)) or "-"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="interpreter with torch and the two libraries")
    parser.add_argument("--root", default=None, help="folder of the recorded versions, where they are not installed")
    parser.add_argument("--count", type=int, default=None, help="only so many, drawn with a fixed seed")
    parser.add_argument("--matching", default="", help="only cases whose names contain this")
    parser.add_argument("--parity", action="store_true", help="compare with eager too")
    parser.add_argument("--most-lines", type=int, default=1_000_000, help="leave out cases that traced more lines")
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds after which no further model runs")
    options = parser.parse_args(argv)
    options.root = options.root or str(distribution("transformers").locate_file(""))
    with gzip.open(RECIPES, "rt", encoding="utf-8") as lines:
        known = {json.loads(line)["case"] for line in lines}
    cases = [
        case
        for case in read_cases(sorted(map(str, TRUTH.glob("*-torch-2.13.0.jsonl.gz"))))
        if case["case"] in known
        and options.matching in str(case["case"])
        and sum(map(len, case["traced_lines"].values())) <= options.most_lines
    ]
    Random(SEED).shuffle(cases)
    print(table(rows(cases[: options.count], options)), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
