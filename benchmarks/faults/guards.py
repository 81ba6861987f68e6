"""Which conditions of guards no test holds: one operand, one `min` or `max`, one `del` at a time is taken out.

    python -m benchmarks.faults.guards --draw 40 --seed 7        # forty of all, drawn
    python -m benchmarks.faults.guards interp/kinds session       # every one in these files and folders
    python -m benchmarks.faults.guards --list dynamic             # print them, run nothing

Taken out are each operand of an `and` or `or` that decides a branch which leaves (`return`, `continue`, `break`,
`raise`), each `min` and `max` (its first argument stays) and each `del`, in interp, checks, survey, fixes, session and
dynamic. The jury are the quick tests that mirror the file and then those of its room (`tests/interp/kinds` for a file
of `interp/kinds`), without those that compare with what `tests.support.recorded` recorded; where only torch runs the
code, the tests marked `dynamo` judge too. What no test notices is printed with its difference: whether it matters is
for a reader to say, and what matters gets a negative case in the mirrored test.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.faults.jury import ROOT, SOURCE, jury, mirrored
from benchmarks.faults.mutate import TORCH_ALONE, Mutant
from benchmarks.faults.mutations import guards, parses

ROOMS = ("interp", "checks", "survey", "fixes", "session", "dynamic")
_RECORDED = "tests.support.recorded"


def places(names: Sequence[str], root: Path = ROOT) -> list[Mutant]:
    """Every guard in the files and folders named, of the rooms where none is."""
    source = root / SOURCE
    asked = [name.rstrip("/") for name in names or ROOMS]
    paths = sorted(path.relative_to(source).as_posix() for path in source.rglob("*.py"))
    taken = [path for path in paths if any(path == name or path.startswith(f"{name}/") for name in asked)]
    return [mutant for path in taken for mutant in _of(path, (source / path).read_bytes())]


def _of(path: str, text: bytes) -> Iterator[Mutant]:
    for mutation in guards(text):
        if parses(mutation.applied(text)):
            yield Mutant(path, mutation, mutation.diff(text))


def steps(path: str, root: Path = ROOT) -> list[list[str]]:
    """The tests that judge a file, the nearest first: those that mirror it, then the others of its room."""
    near = mirrored(path, root)
    room = root / "tests" / Path(path).parent
    if not room.is_dir():
        room = root / "tests" / Path(path).parts[0]
    texts = {file: file.read_text(encoding="utf-8") for file in sorted(room.rglob("test_*.py"))}
    others = [file.relative_to(root).as_posix() for file, text in texts.items() if _RECORDED not in text]
    return [step for step in (near, [name for name in others if name not in near]) if step]


def judged(mutants: Sequence[Mutant]) -> Iterator[tuple[Mutant, bool, float]]:
    """Each mutant, whether a test notices it, and the seconds that it took."""
    with jury(set()) as asked:
        for mutant in mutants:
            began = time.perf_counter()
            text = (ROOT / SOURCE / mutant.path).read_bytes()
            real = bool(TORCH_ALONE & set(Path(mutant.path).parts))
            survives = asked.survives(mutant.path, mutant.mutation.applied(text), steps(mutant.path), real=real)
            yield mutant, not survives, time.perf_counter() - began


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what no test notices and the share that one does, by room; 0 whatever it is."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.faults.guards", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="PATH", help="files or folders below src/compilelint")
    parser.add_argument("--draw", type=int, metavar="N", help="so many of them, drawn with --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="print them and run nothing")
    given = parser.parse_args(arguments)
    mutants = places(given.names)
    if given.draw is not None:
        mutants = sorted(random.Random(given.seed).sample(mutants, min(given.draw, len(mutants))))
    if given.list:
        for mutant in mutants:
            print(f"{mutant.path}:{mutant.mutation.line} {mutant.mutation.kind}\n{mutant.diff}")
        print(f"{len(mutants)} guards")
        return 0
    of_room, caught = Counter(Path(mutant.path).parts[0] for mutant in mutants), Counter[str]()
    for mutant, noticed, seconds in judged(mutants):
        caught[Path(mutant.path).parts[0]] += noticed
        word = "caught" if noticed else "MISSED"
        print(f"{word} {seconds:5.1f} s  {mutant.path}:{mutant.mutation.line} {mutant.mutation.kind}", flush=True)
        if not noticed:
            print(mutant.diff, flush=True)
    for room, count in sorted(of_room.items()):
        print(f"{caught[room]:4} of {count:4}  {room}")
    print(f"{caught.total():4} of {of_room.total():4}  caught (seed {given.seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
