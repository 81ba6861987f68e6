"""Whether fixed files do in eager Python what they did before: recorded models of both libraries, compared.

    python -m benchmarks.fixes.eager --site SITE-PACKAGES --truth TRUTH.jsonl.gz... [--jobs N] [--budget SECONDS]
        [--record FILE] [--fixed FOLDER] [--factories FILE.py]

The files that hold recorded breaks are linted together and fixed as `check --fix --unsafe-fixes` fixes them, in a
folder of links to the rest of their libraries. Then every model of `recipes.jsonl.gz` whose recording traced
a changed file is built and run from both, without compiling: eight seeds, in training and evaluation, and with inputs
varied, emptied and cut short as `fix --verify` does. Values, dtypes, NaN, gradients, the class of what is raised, the
random numbers used up and the state in the end must agree. What has a method of its own (a step of a scheduler) is made
again for each run. Models run in the order of the hashes of their names, `--jobs` at a time, for `--budget` seconds,
each for a few seconds of the processor. Both sides run in processes of their own (`benchmarks.fixes.eager_runs`), which
keep a hash of each tensor and give the numbers only of what differs. `--record` adds a line a case to a file and passes
over the cases that it holds. `--fixed` keeps the fixed files, and takes them from there if it holds any.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.fixes import beside
from benchmarks.fixes.cases import FACTORIES, recipes_of, with_own_file
from benchmarks.fixes.halves import rank
from compilelint.config import Options
from compilelint.model import Confidence
from compilelint.session.commands.fix import fix

_LIMIT = 900.0  # seconds of a case by the clock, both sides


def main() -> None:
    """Fix, run and compare; print a row for each case that differs, then the sums."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--site")
    asked.add_argument("--truth", nargs="+")
    asked.add_argument("--budget", type=float, default=float("inf"))
    asked.add_argument("--jobs", type=int, default=1, help="so many models at a time")
    asked.add_argument("--cases", nargs="*", help="only these")
    asked.add_argument("--record", type=Path, help="a file to add a JSON line a case to")
    asked.add_argument("--fixed", type=Path, help="a folder for the fixed files, under their names below SITE")
    asked.add_argument("--factories", type=Path, default=FACTORIES, help="a module that builds the models")
    given = asked.parse_args()
    site = Path(given.site).resolve()
    traced, broken = _recorded(given.truth)
    files = [file for file in sorted(broken) if (site / file).is_file()]
    changed = _changed(files, site, given.fixed)
    known = recipes_of(given.factories)
    cases = sorted((case for case in known if traced.get(case, frozenset()) & changed.keys()), key=rank)
    cases = [case for case in cases if not given.cases or case in given.cases]
    print(f"{len(changed)} of {len(files)} files changed", flush=True)
    rows = _kept(given.record)
    with tempfile.TemporaryDirectory(prefix="eager-") as folder:
        library = Path(folder) / "fixed"
        library.mkdir()
        for file, text in changed.items():
            with_own_file(library, site, Path(file))
            (library / file).write_text(text, encoding="utf-8")

        def place(case: str) -> str:
            return os.path.join(folder, f"{cases.index(case)}.json")

        def command(case: str) -> list[str]:
            words = [sys.executable, "-W", "ignore", "-m", "benchmarks.fixes.eager_runs", case, place(case)]
            return [*words, str(given.factories), str(site), str(library)]

        def done(case: str, seconds: float, words: str) -> None:
            row: dict[str, Any] = {"case": case, "not_run": words, "runs": 0, "raising": 0, "differences": []}
            if not words:
                row = json.loads(Path(place(case)).read_text(encoding="utf-8"))
            row["seconds"] = round(seconds, 1)
            rows[case] = row
            if given.record:
                with given.record.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
            print(f"{case}: {row['not_run'] or row['runs']}, {len(row['differences'])} differ", file=sys.stderr)

        waiting = [case for case in cases if case not in rows]
        beside.each(waiting, command, done, jobs=given.jobs, limit=_LIMIT, budget=given.budget)
    _report([rows[case] for case in cases if case in rows], len(cases))


def _kept(record: Path | None) -> dict[str, dict[str, Any]]:
    if record is None or not record.exists():
        return {}
    rows = map(json.loads, record.read_text(encoding="utf-8").splitlines())
    return {one["case"]: one for one in rows}


def _changed(files: list[str], site: Path, kept: Path | None) -> dict[str, str]:
    """The fixed texts by the names of their files."""
    there = [] if kept is None else [file for file in files if (kept / file).is_file()]
    if kept is not None and there:
        return {file: (kept / file).read_text(encoding="utf-8") for file in there}
    paths = tuple(str(site / file) for file in files)
    fixed = fix(Options(paths, torch_version="2.13", min_confidence=Confidence.POSSIBLE, no_cache=True), unsafe=True)
    counts = ", ".join(f"{count} {code}" for code, count in sorted(fixed.applied.items()))
    print(f"{fixed.applied.total()} fixes: {counts}")
    changed = {os.path.relpath(path, site): text for path, (_, text) in fixed.texts.items()}
    for file, text in changed.items() if kept is not None else ():
        assert kept is not None, "it was asked"
        (kept / file).parent.mkdir(parents=True, exist_ok=True)
        (kept / file).write_text(text, encoding="utf-8")
    return changed


def _recorded(truth: list[str]) -> tuple[dict[str, set[str]], set[str]]:
    """By case the files that its recording traced, and all files that hold a recorded break."""
    traced: dict[str, set[str]] = {}
    broken: set[str] = set()
    for path in truth:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for case in map(json.loads, lines):
                traced[case["case"]] = set(case["traced_lines"])
                broken |= {one["file"] for one in case["breaks"] if not one.get("secondary")}
    return traced, broken


def _report(rows: list[dict[str, Any]], count: int) -> None:
    ran = [one for one in rows if not one["not_run"]]
    runs, raising = sum(one["runs"] for one in ran), sum(one["raising"] for one in ran)
    differing = [one for one in ran if one["differences"]]
    print(f"{len(ran)} of {count} models ran: {runs} pairs of runs, in {raising} of them the original raises;")
    unsteady = sum(one.get("unsteady", 0) for one in ran)
    print(f"{len(differing)} models differ in {sum(len(one['differences']) for one in differing)} runs")
    print(f"{unsteady} runs say nothing: the original differs from itself in them")
    for one in differing:
        first = one["differences"][0]
        print(f"- {one['case']}: {first['kind']} {first['name']} in {first['label']}: {first['text']}")
    for why, number in Counter(one["not_run"] for one in rows if one["not_run"]).items():
        print(f"- not run, {number}: {why}")


if __name__ == "__main__":
    main()
