"""Score a compilelint JSON report against what TorchDynamo really did.

The definitions are those of `compilelint.dynamic.scoring`; `compilelint score` is the same for anyone's records. This
script takes a report that is there already, and has the options that the project's own tables need.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from compilelint.dynamic.scoring import (
    CONFIDENCES,
    BadReportError,
    Case,
    Hit,
    Judgement,
    Place,
    Table,
    Truth,
    hits_of,
    in_scope,
    judge,
    mistakes_text,
    read_cases,
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


FAMILY_DEPTH = 3


class SourceTexts:
    """The stripped text of a line below ROOT; where the file or the line is not there, `file:line` stands for it."""

    def __init__(self, root: str | Path) -> None:
        self._root = Path(root)
        self._files: dict[str, list[str]] = {}

    def __call__(self, file: str, line: int) -> str:
        if file not in self._files:
            try:
                with open(self._root / file, encoding="utf-8") as rows:
                    self._files[file] = [row.strip() for row in rows]
            except OSError:
                self._files[file] = []
        known = self._files[file]
        return known[line - 1] if 0 < line <= len(known) else f"{file}:{line}"


def leave_out(truth: Truth, judgement: Judgement, cases: Iterable[Case], texts: SourceTexts, distinct: bool) -> None:
    """Drop breaks and false positives whose text breaks in `cases` too; with `distinct`, is traced there too."""
    known: set[str] = set()
    for case in cases:
        known |= {texts(entry["file"], entry["line"]) for entry in case.get("breaks", ())}
        if distinct:
            known |= {texts(file, n) for file, lines in case.get("traced_lines", {}).items() for n in lines}
    for place in [place for place in truth.sites if texts(*place) in known]:
        del truth.sites[place]
        if place in judgement.found:
            judgement.found.discard(place)
            judgement.taken_back.append(place)
    judgement.wrong = [hit for hit in judgement.wrong if texts(*hit.place) not in known]


def distinct_summary(truth: Truth, judgement: Judgement, texts: SourceTexts) -> Table:
    """Return the table with one vote for each source text: modeling code is full of copies."""
    broken = {texts(*place) for place in truth.sites}
    found = {texts(*place) for place in judgement.found}
    wrong = {texts(*hit.place) for hit in judgement.wrong}
    return {
        "break_texts": len(broken),
        "found": len(found),
        "recall": _share(len(found), len(broken)),
        "false_texts": len(wrong),
        "precision": _share(len(found), len(found) + len(wrong)),
    }


def recompile_summary(cases: Iterable[Case], hits: Iterable[Hit]) -> tuple[Table, dict[str, list[str]]]:
    """Return the table of recompiles, one vote a case, and the names of missed cases and of false alarms.

    Right where the code itself changes what a guard reads and a finding lies on a traced line, wrong where a clean case
    has one. Cases that recompile because their inputs vary count nowhere.
    """
    by_file: defaultdict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_file[hit.file].append(hit)
    counts: Counter[tuple[str, bool]] = Counter()
    mistakes: dict[str, list[str]] = {"missed": [], "false alarm": []}
    for case in cases:
        label = case.get("label")
        if label not in ("recompile", "clean") or case.get("recompile_cause") == "input":
            continue
        traced = case["traced_lines"].items()
        said = any(hit.first <= n <= hit.last for file, lines in traced for hit in by_file.get(file, ()) for n in lines)
        counts[label, said] += 1
        if said != (label == "recompile"):
            mistakes["false alarm" if said else "missed"].append(case["case"])
    found, missed, false = counts["recompile", True], counts["recompile", False], counts["clean", True]
    table = {
        "recompiling_cases": found + missed,
        "found": found,
        "recall": _share(found, found + missed),
        "clean_cases": false + counts["clean", False],
        "false_positives": false,
        "precision": _share(found, found + false),
    }
    return table, mistakes


def family_of(file: str) -> str:
    """Return the model family of a file: the first components of its folder, or the file where it lies in ROOT."""
    folders = PurePosixPath(file).parent.parts
    return "/".join(folders[:FAMILY_DEPTH]) or file


def family_summary(truth: Truth, judgement: Judgement) -> dict[str, Table]:
    """Return breaks, recall and precision for each family in which something was judged."""
    breaks = Counter(family_of(place.file) for place in truth.sites)
    found = Counter(family_of(place.file) for place in judgement.found)
    right = Counter(family_of(hit.file) for hit in judgement.right)
    right.subtract(family_of(place.file) for place in judgement.taken_back)
    wrong = Counter(family_of(hit.file) for hit in judgement.wrong)
    return {
        family: {
            "break_lines": breaks[family],
            "found": found[family],
            "recall": _share(found[family], breaks[family]) if breaks[family] else None,
            "true_positives": right[family],
            "false_positives": wrong[family],
            "precision": _share(right[family], right[family] + wrong[family])
            if right[family] + wrong[family]
            else None,
        }
        for family in sorted(breaks.keys() | right.keys() | wrong.keys())
    }


def _share(part: int, whole: int) -> float:
    return round(part / max(1, whole), 4)


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
