"""Mutants of the source, and which of them the tests of the folder of the same name do not see.

    python -m benchmarks.faults.mutate interp/core/frame.py              # every mutant of a file
    python -m benchmarks.faults.mutate interp fixes --each 5        # five of each file, drawn with --seed
    python -m benchmarks.faults.mutate --draw 30 --seed 7           # thirty files of all, one mutant each

Of a file drawn, the kind of mutation is drawn first and then the place, so that long tables do not count for more than
guards. The tests are those that mirror the file (`tests/interp/test_frame*.py`) and then those of the whole folder.
Survivors are printed with what differs; whether one is a fault that no test sees or the same program in other words is
for a reader to say.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.faults.jury import ROOT, SOURCE, folder_of, jury
from benchmarks.faults.mutations import Mutation, mutations, parses

TORCH_ALONE = frozenset({"worker", "generate"})


class Mutant(NamedTuple):
    """A mutation of the file at `path`, which is relative to `src/compilelint`."""

    path: str
    mutation: Mutation
    diff: str


def files(names: Sequence[str], root: Path) -> list[str]:
    """The source files in the files and folders named, all where none is; without those that have no test folder.

    What only torch runs (workers, the measuring of facts) has tests marked `dynamo` or `slow`, which are not run here.
    """
    source = root / SOURCE
    found = [path.relative_to(source).as_posix() for path in sorted(source.rglob("*.py")) if path.name != "__init__.py"]
    named = [path for path in found if any(path == name or path.startswith(f"{name.rstrip('/')}/") for name in names)]
    asked = [path for path in (named if names else found) if not TORCH_ALONE & set(Path(path).parts)]
    return [path for path in asked if "/" in path and (root / folder_of(path)).is_dir()]


def drawn(path: str, root: Path, count: int | None, chance: random.Random) -> Iterator[Mutant]:
    """`count` mutants of a file, each of a kind drawn before the place; all where no count is given."""
    text = (root / SOURCE / path).read_bytes()
    found = [one for one in mutations(text) if one.applied(text) != text]
    chance.shuffle(found)
    kinds = sorted({one.kind for one in found})
    while found and (count is None or count > 0):
        kind = chance.choice(kinds)
        one = next((one for one in found if one.kind == kind), None)
        if one is None:
            kinds.remove(kind)
            continue
        found.remove(one)
        if parses(one.applied(text)):
            count = None if count is None else count - 1
            yield Mutant(path, one, one.diff(text))


def judged(mutants: Sequence[Mutant], passed: bool = False) -> Iterator[tuple[Mutant, bool, float]]:
    """Each mutant, whether it survives, and the seconds that it took. Raises RuntimeError where tests fail anyway,
    which is not looked at where they are known to have `passed`.
    """
    with jury(set() if passed else {folder_of(mutant.path) for mutant in mutants}) as asked:
        for mutant in mutants:
            began = time.perf_counter()
            text = (ROOT / SOURCE / mutant.path).read_bytes()
            survives = asked.survives(mutant.path, mutant.mutation.applied(text))
            yield mutant, survives, time.perf_counter() - began


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the survivors, and how many of each folder were caught; 0 whatever they are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults.mutate")
    parser.add_argument("names", nargs="*", metavar="PATH", help="files or folders below src/compilelint")
    parser.add_argument("--each", type=int, metavar="N", help="so many mutants of each file; all where not given")
    parser.add_argument("--draw", type=int, metavar="N", help="so many files, one mutant each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--passed", action="store_true", help="all quick tests are known to pass as the source is")
    parser.add_argument("--list", action="store_true", help="only print what was drawn")
    given = parser.parse_args(arguments)
    chance = random.Random(given.seed)
    paths = files(given.names, ROOT)
    if given.draw is not None:
        paths = sorted(chance.sample(paths, min(given.draw, len(paths))))
    each = 1 if given.draw is not None else given.each
    mutants = [one for path in paths for one in drawn(path, ROOT, each, chance)]
    all_of, caught = Counter(folder_of(one.path) for one in mutants), Counter[str]()
    for mutant, survives, seconds in (
        ((one, False, 0.0) for one in mutants) if given.list else judged(mutants, given.passed)
    ):
        caught[folder_of(mutant.path)] += not survives
        word = "drawn" if given.list else "MISSED" if survives else "caught"
        print(f"{word} {seconds:5.1f} s  {mutant.path}:{mutant.mutation.line} {mutant.mutation.kind}", flush=True)
        if survives or given.list:
            print(mutant.diff, flush=True)
    if not given.list:
        for folder, count in sorted(all_of.items()):
            print(f"{caught[folder]:4} of {count:4}  {folder}")
        print(f"{caught.total():4} of {all_of.total():4}  caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
