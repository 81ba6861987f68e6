"""Reproduce the accuracy numbers from this repository alone: fetch the pinned packages, lint them, score the reports.

    python -m benchmarks.reproduce            print the tables
    python -m benchmarks.reproduce --update   and write them to benchmarks/accuracy.md

The packages' sources are installed once, without their dependencies, into a cache folder; nothing of them is imported.
compilelint itself must be installed in the Python that runs this, from the root of the repository.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import score

ROOT = Path(__file__).resolve().parent.parent
TRUTH = ROOT / "benchmarks" / "truth"
PAGE = ROOT / "benchmarks" / "accuracy.md"
PINS = {"transformers": "5.23.0", "diffusers": "0.42.1", "timm": "1.0.31"}
SMALL_CASES = TRUTH / "micro" / "cases"

Table = dict[str, Any]


@dataclass(frozen=True)
class Target:
    """One lint and the truth that its report is held against.

    `paths` are relative to `root`, which is the folder of the fetched packages where it is None.
    """

    name: str
    torch: str
    truth: tuple[str, ...]
    paths: tuple[str, ...]
    roots: tuple[str, ...]
    root: Path | None = None


TARGETS = (
    Target(
        "transformers, diffusers",
        "2.13",
        ("transformers-5.23.0-torch-2.13.0.jsonl.gz", "diffusers-0.42.1-torch-2.13.0.jsonl.gz"),
        ("transformers", "diffusers"),
        ("auto", "diffusers.schedulers.*"),
    ),
    Target("timm (negatives only)", "2.15", ("timm-1.0.31-torch-2.15.0.jsonl.gz",), ("timm",), ("auto",)),
    Target("small cases", "2.13", ("micro/labels-torch-2.13.jsonl.gz",), (".",), ("all",), SMALL_CASES),
    Target("small cases", "2.15", ("micro/labels-torch-2.15.jsonl.gz",), (".",), ("all",), SMALL_CASES),
)


@dataclass(frozen=True)
class Outcome:
    """What one target scored. `recompiles` is None for truths that do not label cases; `seconds` is wall time."""

    target: Target
    seconds: float
    places: Table
    distinct: Table
    families: Mapping[str, Table]
    recompiles: Table | None


def fetch(site: Path) -> None:
    """Install the pinned packages' sources into `site`, unless these versions stand there already."""
    missing = [
        f"{name}=={version}" for name, version in PINS.items() if not (site / f"{name}-{version}.dist-info").is_dir()
    ]
    if missing:
        pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--upgrade", "--target", str(site)]
        subprocess.run([*pip, *missing], check=True)


def lint_command(target: Target, root: Path, report: Path) -> list[str]:
    """Return the command line that lints a target: what a user would type, with `python -m` before it."""
    paths = [str(root / path) for path in target.paths]
    roots = [word for item in target.roots for word in ("--roots", item)]
    command = [sys.executable, "-m", "compilelint", "check", *paths, "--torch-version", target.torch, *roots]
    return [*command, "--output", f"json:{report}", "--exit-zero"]


def run(target: Target, site: Path, report: Path) -> Outcome:
    """Lint a target and score its report."""
    root = target.root or site
    begin = time.perf_counter()
    subprocess.run(lint_command(target, root, report), check=True)
    return outcome_of(target, root, json.loads(report.read_text(encoding="utf-8")), time.perf_counter() - begin)


def outcome_of(target: Target, root: Path, report: Mapping[str, Any], seconds: float) -> Outcome:
    """Score a report in every way that `score.py` knows."""
    cases = list(score.read_cases(TRUTH / name for name in target.truth))
    hits = score.hits_of(report, root)
    truth = score.truth_of(cases)
    judgement = score.judge(truth, hits)
    recompiles = None
    if any(case.get("label") for case in cases):
        recompiles, _ = score.recompile_summary(cases, score.hits_of(report, root, "recompile"))
    return Outcome(
        target,
        seconds,
        score.summary(truth, judgement, hits, "likely"),
        score.distinct_summary(truth, judgement, score.SourceTexts(root)),
        score.family_summary(truth, judgement),
        recompiles,
    )


def shown(value: float | None) -> str:
    """Return a share with three digits, a dash where there is none."""
    return "-" if value is None else f"{value:.3f}"


def table_of(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in lines)


def judged(part: int, other: int, value: float) -> str:
    """Return a share, or a dash where it would be the share of nothing."""
    return shown(value if part + other else None)


def latest(outcomes: Sequence[Outcome]) -> str:
    """Return the table of targets."""
    columns = ["target", "torch", "findings", "true", "false", "precision", "breaks", "found", "recall"]
    rows = []
    for outcome in outcomes:
        row, distinct = outcome.places, outcome.distinct
        rows.append(
            [
                outcome.target.name,
                outcome.target.torch,
                row["findings"],
                row["true_positives"],
                row["false_positives"],
                judged(row["true_positives"], row["false_positives"], row["precision"]),
                row["break_lines"],
                row["found"],
                judged(row["break_lines"], 0, row["recall"]),
                judged(distinct["found"], distinct["false_texts"], distinct["precision"]),
                judged(distinct["break_texts"], 0, distinct["recall"]),
                f"{row['clean_cases_with_a_false_alarm']} of {row['clean_cases']}",
                f"{outcome.seconds:.0f}",
            ]
        )
    more = ["distinct precision", "distinct recall", "clean cases with a false alarm", "seconds"]
    return table_of([*columns, *more], rows)


def recompiles(outcomes: Sequence[Outcome]) -> str:
    """Return the table of recompiles, one vote a case."""
    columns = ["target", "torch", "precision", "recall", "recompiling cases", "found", "false alarms"]
    rows = []
    for outcome in outcomes:
        if (row := outcome.recompiles) is not None:
            found, false, cases = row["found"], row["false_positives"], row["recompiling_cases"]
            shares = [judged(found, false, row["precision"]), judged(cases, 0, row["recall"])]
            rows.append([outcome.target.name, outcome.target.torch, *shares, cases, found, false])
    return table_of(columns, rows)


def families(outcomes: Sequence[Outcome]) -> str:
    """Return the table of model families in the libraries."""
    columns = ["family", "breaks", "found", "recall", "true", "false", "precision"]
    keys = ["break_lines", "found", "recall", "true_positives", "false_positives", "precision"]
    rows = []
    for outcome in outcomes:
        for family, row in outcome.families.items() if outcome.target.root is None else ():
            cells = [shown(row[key]) if key in ("recall", "precision") else row[key] for key in keys]
            rows.append([family, *cells])
    return table_of(columns, rows)


def history_row(outcomes: Sequence[Outcome], date: str, commit: str) -> str:
    """Return one line for the history: date, commit, then findings and precision / recall of each target."""
    cells = [date, commit]
    for outcome in outcomes:
        row = outcome.places
        precision = judged(row["true_positives"], row["false_positives"], row["precision"])
        cells.append(f"{row['findings']}: {precision} / {judged(row['break_lines'], 0, row['recall'])}")
    return "| " + " | ".join(cells) + " |"


def replaced(page: str, block: str, text: str) -> str:
    """Return the page with the text between `<!-- block:begin -->` and `<!-- block:end -->` replaced."""
    begin, end = f"<!-- {block}:begin -->\n", f"<!-- {block}:end -->"
    head, found_begin, rest = page.partition(begin)
    _, found_end, tail = rest.partition(end)
    if not (found_begin and found_end):
        raise ValueError(f"the page has no block {block!r}: put {begin.strip()} and {end} where it belongs")
    return f"{head}{begin}{text}\n{end}{tail}"


def appended(page: str, block: str, line: str) -> str:
    """Return the page with a line added at the end of a block."""
    end = f"<!-- {block}:end -->"
    if end not in page:
        raise ValueError(f"the page has no block {block!r}: put {end} where it ends")
    return page.replace(end, f"{line}\n{end}", 1)


def commit_name() -> str:
    """Return the short name of the commit in the working tree, with a `+` where the sources differ from it."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--", "src", "rules") else "")


def main(argv: Sequence[str] | None = None) -> int:
    """Run every target; print the tables, and write them into the page when asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the tables to benchmarks/accuracy.md")
    parser.add_argument("--cache", type=Path, default=ROOT / "benchmark-cache", help="folder for packages and reports")
    parser.add_argument("--site", type=Path, help="folder that holds the pinned packages already")
    args = parser.parse_args(argv)
    cache = args.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    site = (args.site or cache / "site").resolve()
    fetch(site)
    outcomes = [run(target, site, cache / f"report-{number}.json") for number, target in enumerate(TARGETS)]
    blocks = {"latest": latest(outcomes), "recompiles": recompiles(outcomes), "families": families(outcomes)}
    print("\n\n".join(blocks.values()))
    if args.update:
        page = PAGE.read_text(encoding="utf-8")
        for block, text in blocks.items():
            page = replaced(page, block, text)
        date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        PAGE.write_text(appended(page, "history", history_row(outcomes, date, commit_name())), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
