"""Whether a root that is asked alone says what the joint run says of it. No torch.

    python -m benchmarks.alone --most 20 SITE/vit_pytorch SITE/encodec REPOSITORY...

Each path is linted as a whole; then up to `--most` of its roots, drawn at random, are asked one by one (`--roots`). Of
each the lines are compared at which a finding that is likely or better says that a graph ends, and names the root.
`joint` are lines that only the joint run names, `alone` those that only the root alone does. Exits with 1 if there are
any.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from compilelint.config import Options
from compilelint.report.formats import render
from compilelint.report.report import CompileRoot, Report
from compilelint.session.commands.lint import lint

SEED = 1
_ENDS = frozenset({"graph-break", "error"})
Line = tuple[str, int]


def linted(path: Path, roots: Sequence[str] = ()) -> Report:
    """The report of a folder, of some of its roots alone."""
    options = Options((str(path),), torch_version="2.13", no_cache=True, jobs=1)
    return lint(replace(options, roots=tuple(roots)) if roots else options)


def ends_of(report: Report, name: str) -> set[Line]:
    """The lines at which a graph ends, by the findings that name a root."""
    return {
        (one["path"], one["line"])
        for one in json.loads(render(report, "json"))["findings"]
        if one["confidence"] != "possible" and _ENDS & set(one["effects"]) and one["break_ids"] and name in one["roots"]
    }


def compared(path: Path, most: int) -> tuple[int, list[str]]:
    """How many roots were asked alone, and a line for each that says something else."""
    joint = linted(path)
    known: list[CompileRoot] = [root for root in joint.roots if root.known]
    names = [root.name for root in known]
    known = [root for root in known if names.count(root.name) == 1]
    drawn = random.Random(SEED).sample(known, min(most, len(known)))
    differ = []
    for root in drawn:
        together, alone = ends_of(joint, root.name), ends_of(linted(path, [root.spec]), root.name)
        for kind, lines in (("joint", together - alone), ("alone", alone - together)):
            differ += [f"{root.spec}: {kind} {Path(file).name}:{line}" for file, line in sorted(lines)]
    return len(drawn), differ


def main(argv: Sequence[str] | None = None) -> int:
    """Print the differences of each path; 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=10, help="roots of each path that are asked alone")
    given = parser.parse_args(argv)
    total = 0
    for path in given.paths:
        count, differ = compared(path, given.most)
        total += len(differ)
        print(f"{path.name}: {count} roots alone, {len(differ)} lines differ", *differ, sep="\n    ", flush=True)
    return 1 if total else 0


if __name__ == "__main__":
    raise SystemExit(main())
