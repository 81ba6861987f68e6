"""Score a compilelint JSON report against what TorchDynamo really did.

The definitions are those of `compilelint.dynamic.scoring`; `compilelint score` is the same for anyone's records. This
script takes a report that is there already, and has the options that the project's own tables need.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from compilelint.dynamic.scoring import (
    CONFIDENCES,
    BadReportError,
    Case,
    Hit,
    Place,
    SourceTexts,
    Table,
    distinct_summary,
    family_of,
    family_summary,
    hits_of,
    in_scope,
    judge,
    leave_out,
    mistakes_text,
    read_cases,
    recompile_summary,
    summary,
    truth_of,
)

__all__ = [
    "BadReportError",
    "Case",
    "Hit",
    "Place",
    "SourceTexts",
    "Table",
    "distinct_summary",
    "family_of",
    "family_summary",
    "hits_of",
    "in_scope",
    "judge",
    "leave_out",
    "main",
    "mistakes_text",
    "read_cases",
    "recompile_summary",
    "summary",
    "truth_of",
]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path)
    parser.add_argument("truth", nargs="+", type=Path)
    parser.add_argument("--root", required=True, type=Path, help="folder that the truth's file names are relative to")
    parser.add_argument("--package", action="append", default=[], help="score only files below this folder of ROOT")
    parser.add_argument("--min-confidence", choices=sorted(CONFIDENCES), default="likely")
    parser.add_argument("--effect", choices=["graph-break", "recompile"], default="graph-break")
    parser.add_argument(
        "--distinct", action="store_true", help="one vote for each distinct source text (stripped line)"
    )
    parser.add_argument("--by-family", action="store_true", help="add precision and recall for each model family")
    parser.add_argument("--exclude-texts", action="append", default=[], type=Path, metavar="TRUTH")
    parser.add_argument(
        "--misses", type=int, default=0, metavar="N", help="name N false negatives and N false positives"
    )
    parser.add_argument("--json", action="store_true")
    return parser


def _show(table: Table, as_json: bool) -> None:
    print(json.dumps(table, indent=1) if as_json else "\n".join(f"{key:26} {value}" for key, value in table.items()))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table that the options ask for; return 0, or 2 for a report that cannot be scored."""
    parser = _parser()
    args = parser.parse_args(argv)
    if args.by_family and (args.distinct or args.effect == "recompile"):
        parser.error("--by-family goes with places, not with --distinct or --effect recompile")
    report = json.loads(args.report.read_text(encoding="utf-8"))
    try:
        hits = hits_of(report, args.root, args.effect, args.min_confidence, args.package)
    except BadReportError as error:
        parser.error(f"{args.report}: {error}")
    cases = list(read_cases(args.truth))
    if args.effect == "recompile":
        table, mistakes = recompile_summary(cases, hits)
        _show(table, args.json)
        for kind, names in mistakes.items() if args.misses else ():
            print(f"\n{kind}: " + ", ".join(names[: args.misses]))
        return 0
    truth = truth_of(cases, args.package)
    judgement = judge(truth, hits)
    texts = SourceTexts(args.root)
    if args.exclude_texts:
        leave_out(truth, judgement, read_cases(args.exclude_texts), texts, args.distinct)
    if args.distinct:
        _show(distinct_summary(truth, judgement, texts), args.json)
        return 0
    table = summary(truth, judgement, hits, args.min_confidence)
    if args.by_family:
        table["by_family"] = family_summary(truth, judgement)
    _show(table, args.json)
    if args.misses:
        print("\n".join(mistakes_text(truth, judgement, args.misses)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        sys.exit(0)
