"""Which recorded breaks have a fix, and of what kind: lawful by the text, only to be proven, only by a switch, or none.

    python -m benchmarks.fixes.offered --site SITE-PACKAGES --truth TRUTH.jsonl.gz...

Lints the files that hold recorded breaks, all together. A place is `found` where a finding covers its line or stands
beside it; `lawful`, `proof`, `switch` and `none` are shares of those. A fix of another finding counts for a place where
it rewrites that line too (the rest of a function that becomes an operator, hits whose reads it drops). Nothing is run.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.fixes.halves import HALVES, half_of
from compilelint.config import Options
from compilelint.fixes import code_of, proposals
from compilelint.model import Confidence, Finding
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source

_KINDS = ("lawful", "proof", "switch")
_ORDER = (*_KINDS, "none")
_NONE = ("none", "no fix")


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
    beside = {file: _rewritten_lines(by_file[str(site / file)]) for file in there}
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    halves: dict[str, Counter[str]] = {half: Counter() for half in HALVES}
    titles: Counter[tuple[str, str]] = Counter()
    for (file, line), break_id in places.items():
        rows[break_id]["recorded"] += 1
        halves[half_of(file)]["recorded"] += 1
        spans = [(one, one.location.span) for one in by_file[str(site / file)]]
        near = [one for one, span in spans if span.line - 1 <= line <= span.end_line + 1]
        if near:
            kind, title = min(_best(near), beside[file].get(line, _NONE), key=lambda one: _ORDER.index(one[0]))
            rows[break_id].update(("found", kind))
            halves[half_of(file)].update(("found", kind))
            titles[kind, title] += 1
    heads = ("recorded", "found", *_KINDS, "none")
    print("| id | " + " | ".join(heads) + " |\n|---|" + "---|" * len(heads))
    for name, row in [
        *sorted(rows.items(), key=lambda item: -item[1]["recorded"]),
        *((f"half: {half}", row) for half, row in halves.items()),
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
    return _NONE


def _rewritten_lines(findings: list[Finding]) -> dict[int, tuple[str, str]]:
    """The lines that some fix rewrites, with the kind and title of the one that needs least."""
    source = read_source(findings[0].location.path) if findings else None
    code = code_of(source) if isinstance(source, Source) else None
    found: dict[int, tuple[str, str]] = {}
    for kind in ("proof", "lawful") if code is not None else ():
        assert code is not None
        for fix in (fix for one in findings for fix in proposals(one, code, proven=kind == "proof")):
            for edit in fix.edits:
                # an edit that inserts lines, or ends where a line begins, does not change that line
                last = edit.span.end_line - (edit.span.end_column == 1)
                found.update(dict.fromkeys(range(edit.span.line, last + 1), (kind, fix.title)))
    return found


if __name__ == "__main__":
    main()
