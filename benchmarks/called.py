"""The small cases as a user has them: in a script that makes, compiles and calls them.

`--roots all` takes every function for compiled and nothing for a caller, so that what a call alone decides is not in
the text: whether `steps` is a tensor, of which class an argument is. Here a script stands behind each file of cases,
which does what the recorder does ([registry/callers.py](registry/callers.py)), and is linted without options. Each
half, by the hash of the case's name, is linted by itself: a case of the other may call a function with something else.

    python -m benchmarks.called --update
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.registry.callers import text_of
from benchmarks.registry.measure import HALVES, half_of
from benchmarks.reproduce import PAGE, TRUTH, replaced, shown, table_of
from compilelint.config import Options
from compilelint.dynamic.scoring import hits_of, judge, mistakes_text, read_cases, summary, truth_of
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint

MICRO = TRUTH / "micro"
VERSIONS = ("2.13", "2.15")
MISSES = 30


def measured(version: str, half: str) -> tuple[dict[str, Any], list[str]]:
    """The scores of one half on one version of torch, and its mistakes in words."""
    rows = [row for row in read_cases([MICRO / f"labels-torch-{version}.jsonl.gz"]) if half_of(row["case"]) == half]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _write(folder, [row["case"] for row in rows])
        report = json.loads(render(lint(Options((str(folder),), torch_version=version)), "json"))
        hits = hits_of(report, folder, "graph-break")
    truth = truth_of(rows)
    judgement = judge(truth, hits)
    return summary(truth, judgement, hits, "likely"), list(mistakes_text(truth, judgement, MISSES))


def _write(folder: Path, cases: Sequence[str]) -> None:
    names: dict[str, list[str]] = {}
    for case in cases:
        area, _, name = case.partition("/")
        names.setdefault(area, []).append(name)
    for area, of_area in names.items():
        text = (MICRO / "cases" / f"{area}.py").read_text(encoding="utf-8")
        (folder / f"{area}.py").write_text(text_of(text, of_area), encoding="utf-8")


def table(scores: Mapping[tuple[str, str], Mapping[str, Any]]) -> str:
    """A row for each version and half."""
    columns = ["small cases", "torch", "true", "false", "precision", "breaks", "found", "recall", "clean cases alarmed"]
    rows = [
        [
            half,
            version,
            str(one["true_positives"]),
            str(one["false_positives"]),
            shown(one["precision"]),
            str(one["break_lines"]),
            str(one["found"]),
            shown(one["recall"]),
            f"{one['clean_cases_with_a_false_alarm']} of {one['clean_cases']}",
        ]
        for (version, half), one in scores.items()
    ]
    return table_of(columns, rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table and the mistakes; with `--update`, write the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the table into accuracy.md")
    update = parser.parse_args(argv).update
    found = {(version, half): measured(version, half) for version in VERSIONS for half in HALVES}
    text = table({key: scores for key, (scores, _) in found.items()})
    print(text)
    for (version, half), (_, mistakes) in found.items():
        print(f"\n{version}, {half}", *mistakes, sep="\n")
    if update:
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), "called", text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
