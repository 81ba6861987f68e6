"""Whether a file says of its own lines what its package says: random selections of a package's files, linted apart.

    python -m benchmarks.invariance --selections 20 SITE/vit_pytorch SITE/encodec SITE/segmentation_models_pytorch

For each selection, with findings that are likely or better by rule and place:
`lost`      the package shows it, the selection does not: what says it lies in callers beyond the selection
`less sure` both show it, the selection with less confidence
`surer`     both show it, the selection with more confidence: what a caller takes back lies beyond it
`at a call` only the selection shows it, for a break in a file that it does not hold
`new`       only the selection shows it, for a break of its own: callers beyond it pass something harmless
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.reproduce import table_of

KINDS = ("same", "lost", "less sure", "surer", "at a call", "new")
SEED = 1
LEVELS = ("likely", "certain")
LARGEST = 0.3  # share of the package's files in one selection

Place = tuple[str, str, int]
Found = Mapping[Place, Mapping[str, Any]]


def findings(paths: Sequence[Path], folder: Path, torch: str) -> Found:
    """What a run over these paths shows, by rule, file and line."""
    report = folder / "report.json"
    command = [sys.executable, "-m", "compilelint", "check", *map(str, paths), "--torch-version", torch, "--no-cache"]
    subprocess.run([*command, "--output", f"json:{report}", "--exit-zero"], check=True, cwd=folder)
    found = json.loads(report.read_text(encoding="utf-8"))["findings"]
    return {(x["rule"], str((folder / x["path"]).resolve()), x["line"]): x for x in found if x["confidence"] in LEVELS}


def ends_in(finding: Mapping[str, Any], files: frozenset[str]) -> bool:
    """Whether the break that a finding is about lies in one of these files."""
    ends = [related["path"] for related in finding["related"] if related["text"] == "graph break here"]
    return not ends or ends[0] in files


def differences(whole: Found, part: Found, files: frozenset[str]) -> Iterator[tuple[str, Place]]:
    """How each finding in these files fares in the selection, by `KINDS`."""
    for place, one in whole.items():
        if place[1] not in files:
            continue
        other = part.get(place)
        if other is None:
            yield "lost", place
        else:
            more = LEVELS.index(other["confidence"]) - LEVELS.index(one["confidence"])
            yield ("surer" if more > 0 else "less sure" if more else "same"), place
    for place, one in part.items():
        if place not in whole:
            yield ("new" if ends_in(one, files) else "at a call"), place


def main(argv: Sequence[str] | None = None) -> int:
    """Lint each package whole and in selections; print what differs and the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path, nargs="+")
    parser.add_argument("--selections", type=int, default=20, help="of each package")
    parser.add_argument("--torch", default="2.13", help="the torch version to predict for")
    args = parser.parse_args(argv)
    rows: list[list[object]] = []
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for package in args.packages:
            files = sorted(package.resolve().rglob("*.py"))
            whole = findings([package.resolve()], folder, args.torch)
            counts: collections.Counter[str] = collections.Counter()
            for _ in range(args.selections):
                chosen = chance.sample(files, chance.randint(1, max(1, int(len(files) * LARGEST))))
                held = frozenset(map(str, chosen))
                for kind, place in differences(whole, findings(chosen, folder, args.torch), held):
                    counts[kind] += 1
                    if kind not in ("same", "at a call"):
                        print(f"{kind}: {place[0]} {place[1]}:{place[2]} in a selection of {len(chosen)}")
            rows.append([package.name, len(files), args.selections, *(counts[kind] for kind in KINDS)])
    print(table_of(["package", "files", "selections", *KINDS], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
