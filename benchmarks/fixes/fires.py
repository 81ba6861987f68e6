"""Where each rewrite fires: places and files of every project given, with the rewrites that fire nowhere.

    python -m benchmarks.fixes.fires LIBRARIES=site/transformers,site/diffusers REPOSITORIES=repos/* [--record FILE]

Each argument names a column and the projects in it; each project is linted by itself (`min-confidence possible`), and
every rewrite of a finding's name is asked, those that need a proof and those that set a switch too. A place is a line,
and what two models reach is one place. `lawful` counts places where a rewrite needs no proof. Nothing is run.
`--record` adds a JSON line a project (`column`, `project`, and its places by rewrite) and passes over those it holds.
"""

from __future__ import annotations

import argparse
import glob
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from compilelint.config import Options
from compilelint.fixes import code_of, proposals
from compilelint.fixes.engine import registry
from compilelint.model import Confidence, Finding
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source


def fired(project: str) -> dict[str, list[Any]]:
    """Every place of a project by the rewrite that changes it: file, line, whether it is lawful, safety, title."""
    asked_for = Options((project,), torch_version="2.13", min_confidence=Confidence.POSSIBLE, no_cache=True)
    by_file: dict[str, list[Finding]] = defaultdict(list)
    for one in lint(asked_for).findings:
        by_file[one.location.path].append(one)
    found: dict[str, list[Any]] = defaultdict(list)
    for path, findings in sorted(by_file.items()):
        source = read_source(path)
        code = code_of(source, frozenset(by_file)) if isinstance(source, Source) else None
        if code is None:
            continue
        seen = set()
        for one in findings:
            lawful = {(fix.rewrite, fix.title) for fix in proposals(one, code)}
            for fix in proposals(one, code, proven=True, configure=True):
                key = (fix.rewrite, one.location.span.line)
                if key not in seen:
                    seen.add(key)
                    free = (fix.rewrite, fix.title) in lawful
                    file = str(Path(path).relative_to(Path(project).parent.resolve()))
                    found[fix.rewrite].append([file, key[1], free, fix.safety.value, fix.title, one.rule.code])
    return dict(found)


def main() -> None:
    """Print a row a rewrite: places and files in each column."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("columns", nargs="*", metavar="NAME=PROJECTS")
    asked.add_argument("--record", type=Path)
    given = asked.parse_args()
    rows: list[dict[str, Any]] = []
    if given.record and given.record.is_file():
        rows = [json.loads(line) for line in given.record.read_text(encoding="utf-8").splitlines()]
    done = {(row["column"], row["project"]) for row in rows}
    for column in given.columns:
        name, _, patterns = column.partition("=")
        for project in sorted(one for pattern in patterns.split(",") for one in glob.glob(pattern)):
            if (name, Path(project).name) in done or not Path(project).is_dir():
                continue
            row = {"column": name, "project": Path(project).name, "fired": fired(project)}
            rows.append(row)
            if given.record:
                with given.record.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(row) + "\n")
    _print(rows)


def _print(rows: list[dict[str, Any]]) -> None:
    columns = list(dict.fromkeys(row["column"] for row in rows))
    every = sorted({made.__name__ for proven in (False, True) for name in registry.names(proven=proven)
                    for made in registry.rewrites(name, proven=proven)})  # fmt: skip
    print("| rewrite | " + " | ".join(columns) + " | lawful |\n" + "|---" * (len(columns) + 2) + "|")
    for name in every:
        cells, lawful = [], 0
        for column in columns:
            places = [(row["project"], *one) for row in rows if row["column"] == column
                      for one in row["fired"].get(name, ())]  # fmt: skip
            lawful += sum(one[3] for one in places)
            projects = len({one[0] for one in places})
            cells.append(f"{len(places)} in {projects}" if places else "0")
        print(f"| `{name}` | " + " | ".join(cells) + f" | {lawful} |")


if __name__ == "__main__":
    main()
