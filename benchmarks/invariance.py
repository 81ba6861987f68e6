"""Whether a file says of its own lines what its package says: random selections of a package's files, linted apart.

    python -m benchmarks.invariance --selections 20 SITE/vit_pytorch SITE/encodec SITE/segmentation_models_pytorch
    python -m benchmarks.invariance --selections 8 SITE/transformers/models/bert ...    a folder is a package

For each selection, with findings that are likely or better by rule and place:
`lost`      the package shows it, the selection does not: what says it lies in callers beyond the selection
`less sure` both show it, the selection with less confidence
`surer`     both show it, the selection with more confidence: what a caller takes back lies beyond it
`at a call` only the selection shows it, for a break in a file that it does not hold
`new`       only the selection shows it, for a break of its own: callers beyond it pass something harmless

The law: nothing is `new` and nothing `surer`, for what is left out may take certainty, never give it. One breach is
known: behind a flag that is on by default, a function that is a root by guess is claimed to break, and a caller beyond
the selection may pass the flag against its default. It counts as `new` like any other. Each difference
is printed with why: what either run says of the line, and the nearest call on the way to it from beyond the selection.
Exits with 1 where the law is broken.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.reproduce import table_of
from compilelint.config import Options
from compilelint.model import Confidence
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint

KINDS = ("same", "lost", "less sure", "surer", "at a call", "new")
SEED = 1
UNLAWFUL = ("surer", "new")
LEVELS = ("possible", "likely", "certain")
LARGEST = 0.3  # share of the package's files in one selection

Place = tuple[str, str, int]
Found = Mapping[Place, Mapping[str, Any]]


def findings(paths: Sequence[Path], torch: str) -> Found:
    """What a run over these paths finds, by rule, file and line; of several on a line the surest."""
    options = Options(
        tuple(map(str, paths)), torch_version=torch, no_cache=True, jobs=1, min_confidence=Confidence.POSSIBLE
    )
    found: dict[Place, Mapping[str, Any]] = {}
    for one in json.loads(render(lint(options), "json"))["findings"]:
        place = one["rule"], str(Path(one["path"]).resolve()), one["line"]
        if place not in found or _level(one) > _level(found[place]):
            found[place] = one
    return found


def _level(finding: Mapping[str, Any]) -> int:
    return LEVELS.index(finding["confidence"])


def shown(finding: Mapping[str, Any] | None) -> bool:
    """Whether a report of default confidence holds it."""
    return finding is not None and _level(finding) > 0


def ends_in(finding: Mapping[str, Any], files: frozenset[str]) -> bool:
    """Whether the break that a finding is about lies in one of these files."""
    ends = [related["path"] for related in finding["related"] if related["text"] == "graph break here"]
    return not ends or ends[0] in files


def differences(whole: Found, part: Found, files: frozenset[str]) -> Iterator[tuple[str, Place]]:
    """How each finding in these files fares in the selection, by `KINDS`."""
    for place, one in whole.items():
        if place[1] not in files or not shown(one):
            continue
        other = part.get(place)
        if other is None or not shown(other):
            yield "lost", place
        else:
            more = _level(other) - _level(one)
            yield ("surer" if more > 0 else "less sure" if more else "same"), place
    for place, one in part.items():
        if shown(one) and not shown(whole.get(place)):
            yield ("new" if ends_in(one, files) else "at a call"), place


def why(place: Place, whole: Found, part: Found, files: frozenset[str]) -> str:
    """What explains a difference: the last call on the way that lies beyond the selection, and what each run says."""
    one, other = (found.get(place, {}) for found in (whole, part))
    said = f"{one.get('confidence', 'nothing')} in the package, {other.get('confidence', 'nothing')} here"
    beyond = [step for step in one.get("call_chain", ()) if step["path"] not in files]
    if not beyond:
        return said
    return f"{said}; called by {beyond[-1]['function']} in {Path(beyond[-1]['path']).name}:{beyond[-1]['line']}"


def selections(package: Path, count: int, chance: random.Random) -> Iterator[list[Path]]:
    """Random files of a package, so many times."""
    files = sorted(package.resolve().rglob("*.py"))
    for _ in range(count):
        yield chance.sample(files, chance.randint(1, max(1, int(len(files) * LARGEST))))


def held(package: Path, count: int, torch: str, chance: random.Random) -> Iterator[tuple[str, Place, str]]:
    """How each finding in each selection fares, by `KINDS`, and why it is so."""
    whole = findings([package.resolve()], torch)
    for chosen in selections(package, count, chance):
        part, files = findings(chosen, torch), frozenset(map(str, chosen))
        for kind, place in differences(whole, part, files):
            yield kind, place, f"{why(place, whole, part, files)} (of {len(chosen)})"


def main(argv: Sequence[str] | None = None) -> int:
    """Lint each package whole and in selections; print what differs and the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path, nargs="+")
    parser.add_argument("--selections", type=int, default=20, help="of each package")
    parser.add_argument("--torch", default="2.13", help="the torch version to predict for")
    args = parser.parse_args(argv)
    rows: list[list[object]] = []
    chance, broken = random.Random(SEED), False
    for package in args.packages:
        counts: collections.Counter[str] = collections.Counter()
        for kind, place, reason in held(package, args.selections, args.torch, chance):
            counts[kind] += 1
            if kind not in ("same", "at a call"):
                print(f"{kind}: {place[0]} {place[1]}:{place[2]}: {reason}", flush=True)
        broken = broken or any(counts[kind] for kind in UNLAWFUL)
        files = len(list(package.rglob("*.py")))
        rows.append([package.name, files, args.selections, *(counts[kind] for kind in KINDS)])
    print(table_of(["package", "files", "selections", *KINDS], rows))
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
