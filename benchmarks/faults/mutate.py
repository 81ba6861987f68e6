"""Mutants of the source, and which of them the tests of the folder of the same name do not see.

    python -m benchmarks.faults.mutate interp/frame.py              # every mutant of a file
    python -m benchmarks.faults.mutate interp fixes --each 5        # five of each file, drawn with --seed
    python -m benchmarks.faults.mutate --draw 30 --seed 7           # thirty files of all, one mutant each

Of a file drawn, the kind of mutation is drawn first and then the place, so that long tables do not count for more than
guards. The tests are those that mirror the file (`tests/interp/test_frame*.py`) and then those of the whole folder.
Survivors are printed with what differs; whether one is a fault that no test sees or the same program in other words is
for a reader to say.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from benchmarks.faults.mutations import Mutation, mutations, parses
from benchmarks.faults.run import NOT_COPIED, ROOT, SOURCE
from benchmarks.faults.warm import Warm, passes, prepare, written

_SECONDS = 300.0


class Mutant(NamedTuple):
    """A mutation of the file at `path`, which is relative to `src/compilelint`."""

    path: str
    mutation: Mutation
    diff: str


def mirrored(path: str, root: Path) -> list[str]:
    """The test files named after a source file: `test_calls.py`, `test_calls_doubts.py` for `calls.py`."""
    folder, stem = root / "tests" / Path(path).parent, Path(path).stem
    names = {*folder.glob(f"test_{stem}.py"), *folder.glob(f"test_{stem}_*.py")}
    return sorted(name.relative_to(root).as_posix() for name in names)


def folder_of(path: str) -> str:
    """The test folder of the same name."""
    return f"tests/{Path(path).parts[0]}"


def files(names: Sequence[str], root: Path) -> list[str]:
    """The source files in the files and folders named, all where none is; without those that have no test folder."""
    source = root / SOURCE
    found = [path.relative_to(source).as_posix() for path in sorted(source.rglob("*.py")) if path.name != "__init__.py"]
    named = [path for path in found if any(path == name or path.startswith(f"{name.rstrip('/')}/") for name in names)]
    return [path for path in (named if names else found) if "/" in path and (root / folder_of(path)).is_dir()]


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


def _serve(connection: Connection, copy: Path, warm: bool) -> None:
    """In a process of its own: answer whether tests pass with a mutant."""
    prepare(copy)
    source = Warm(copy) if warm else None
    while True:
        path, text, mutated, tests = connection.recv()

        def exchange(path: Path = path, text: bytes = text, mutated: bytes = mutated) -> bool:
            return source is None or source.exchange(path, text, mutated)

        connection.send(passes(tests, exchange, _SECONDS))


class Jury:
    """Two processes that import from one copy of the repository: with the source imported already, and without."""

    def __init__(self, copy: Path) -> None:
        self._copy = copy
        forking = multiprocessing.get_context("fork")
        self._asked: dict[bool, Connection] = {}
        for warm in (False, True):
            self._asked[warm], other = forking.Pipe()
            forking.Process(target=_serve, args=(other, copy, warm), daemon=True).start()

    def passes_unchanged(self, folder: str) -> bool:
        """Whether the tests of a folder pass as the source is."""
        return self._pass(self._copy / SOURCE / "__init__.py", b"", b"", [folder])

    def survives(self, mutant: Mutant) -> bool:
        """Whether the mirrored tests and then those of the folder pass with the mutant."""
        path = self._copy / SOURCE / mutant.path
        text = path.read_bytes()
        mutated = mutant.mutation.applied(text)
        with written(path, mutated):
            for tests in (mirrored(mutant.path, self._copy), [folder_of(mutant.path)]):
                if tests and not self._pass(path, text, mutated, tests):
                    return False
        return True

    def _pass(self, *question: object) -> bool:
        answer: bool | None = None
        for warm in (True, False):
            if answer is None:
                self._asked[warm].send(question)
                answer = self._asked[warm].recv()
        return bool(answer)


def judged(mutants: Sequence[Mutant]) -> Iterator[tuple[Mutant, bool, float]]:
    """Each mutant, whether it survives, and the seconds that it took. Raises RuntimeError where tests fail anyway."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        copy = Path(temporary, "copy")
        shutil.copytree(ROOT, copy, ignore=NOT_COPIED, symlinks=True)
        jury = Jury(copy)
        for folder in sorted({folder_of(mutant.path) for mutant in mutants}):
            if not jury.passes_unchanged(folder):
                raise RuntimeError(f"{folder} fails without any mutation")
        for mutant in mutants:
            began = time.perf_counter()
            survives = jury.survives(mutant)
            yield mutant, survives, time.perf_counter() - began


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the survivors, and how many of each folder were caught; 0 whatever they are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults.mutate")
    parser.add_argument("names", nargs="*", metavar="PATH", help="files or folders below src/compilelint")
    parser.add_argument("--each", type=int, metavar="N", help="so many mutants of each file; all where not given")
    parser.add_argument("--draw", type=int, metavar="N", help="so many files, one mutant each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="only print what was drawn")
    given = parser.parse_args(arguments)
    chance = random.Random(given.seed)
    paths = files(given.names, ROOT)
    if given.draw is not None:
        paths = sorted(chance.sample(paths, min(given.draw, len(paths))))
    each = 1 if given.draw is not None else given.each
    mutants = [one for path in paths for one in drawn(path, ROOT, each, chance)]
    all_of, caught = Counter(folder_of(one.path) for one in mutants), Counter[str]()
    for mutant, survives, seconds in ((one, False, 0.0) for one in mutants) if given.list else judged(mutants):
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
