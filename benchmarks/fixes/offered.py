"""Which recorded breaks have a fix, and of what kind: lawful by the text, only to be proven, only by a switch, or none.

    python -m benchmarks.fixes.offered --site SITE-PACKAGES --truth TRUTH.jsonl.gz...

Lints the files that hold recorded breaks, all together. A place is `found` where a finding covers its line or stands
beside it; `lawful`, `proof`, `switch` and `none` are shares of those. Nothing is run.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from pathlib import Path

from compilelint.config import Options
from compilelint.fixes import code_of, proposals
from compilelint.model import Confidence, Finding
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source

_KINDS = ("lawful", "proof", "switch")


def main() -> None:
    """Print a row for each break id, then how many places each kind of fix answers."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--site", required=True)
    asked.add_argument("--truth", nargs="+", required=True)
    given = asked.parse_args()
    places = _places(given.truth)
    site = Path(given.site).resolve()
    there = sorted({file for file, _ in places if (site / file).is_file()})  # a package may break in another's file
    files = tuple(str(site / file) for file in there)
    asked_for = Options(files, torch_version="2.13", min_confidence=Confidence.POSSIBLE, no_cache=True)
    by_file: dict[str, list[Finding]] = defaultdict(list)
    for one in lint(asked_for).findings:
        by_file[one.location.path].append(one)
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    titles: Counter[tuple[str, str]] = Counter()
    for (file, line), break_id in places.items():
        rows[break_id]["recorded"] += 1
        spans = [(one, one.location.span) for one in by_file[str(site / file)]]
        near = [one for one, span in spans if span.line - 1 <= line <= span.end_line + 1]
        if near:
            kind, title = _best(near)
            rows[break_id].update(("found", kind))
            titles[kind, title] += 1
    heads = ("recorded", "found", *_KINDS, "none")
    print("| id | " + " | ".join(heads) + " |\n|---|" + "---|" * len(heads))
    for name, row in [
        *sorted(rows.items(), key=lambda item: -item[1]["recorded"]),
        ("all", sum(rows.values(), Counter())),
    ]:
        print(f"| {name} | " + " | ".join(str(row[head]) for head in heads) + " |")
    for (kind, title), count in titles.most_common():
        print(f"{count} {kind}: {title}")


def _places(truth: list[str]) -> dict[tuple[str, int], str]:
    """The break id of every recorded place."""
    found: dict[tuple[str, int], str] = {}
    for path in truth:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for case in map(json.loads, lines):
                for one in case["breaks"]:
                    if not one.get("secondary"):
                        found.setdefault((one["file"], one["line"]), one["gb"])
    return found


def _best(findings: list[Finding]) -> tuple[str, str]:
    """The kind and title of the fix that needs least."""
    source = read_source(findings[0].location.path)
    code = code_of(source) if isinstance(source, Source) else None
    for kind in _KINDS if code is not None else ():
        assert code is not None
        for one in findings:
            for fix in proposals(one, code, proven=kind != "lawful", configure=kind == "switch"):
                return kind, fix.title
    return "none", "no fix"


if __name__ == "__main__":
    main()
