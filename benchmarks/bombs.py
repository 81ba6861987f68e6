"""Small inputs that are made to take for ever or all memory; every one must end within bounds.

    python -m benchmarks.bombs                      every kind once, at its full size
    python -m benchmarks.bombs --count 500 --seed 7 that many, of kinds and sizes drawn with this seed
    python -m benchmarks.bombs --only values        kinds whose family or name holds this word

A kind is a function from a generator of random numbers and a size to the files that someone may hand to the linter.
Bounds: 10 CPU seconds and 1 GB a run, in a process of its own (`benchmarks.bounded`).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks import bombs_growth, bombs_inputs, bombs_programs
from benchmarks.bounded import CPU_SECONDS, MEGABYTES, Hostile, ended, warm

Maker = Callable[[random.Random, int], Hostile]


@dataclass(frozen=True)
class Bomb:
    """One kind: its family, its full size, and the function that makes an input of a size."""

    family: str
    name: str
    size: int
    make: Maker


BOMBS: tuple[Bomb, ...] = tuple(
    Bomb(family, name, size, make)
    for kinds in (bombs_programs.KINDS, bombs_inputs.KINDS, bombs_growth.KINDS)
    for family, name, size, make in kinds
)


def drawn(count: int, seed: int, bombs: Sequence[Bomb] = BOMBS) -> Iterator[tuple[Bomb, Hostile]]:
    """That many inputs, the same for the same seed: kinds in turn, sizes from small to twice the full one."""
    for number in range(count):
        chance = random.Random(f"{seed}/{number}")
        bomb = bombs[number % len(bombs)]
        yield bomb, bomb.make(chance, max(1, int(bomb.size * 2 ** chance.uniform(-5, 1))))


def main(argv: Sequence[str] | None = None) -> int:
    """Run bombs; 1 if any went beyond its bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=0, metavar="N", help="draw N inputs instead of one a kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--seconds", type=int, default=CPU_SECONDS)
    parser.add_argument("--megabytes", type=int, default=MEGABYTES)
    parser.add_argument("--verbose", action="store_true", help="a line for every input, not only for failures")
    args = parser.parse_args(argv)
    bombs = [one for one in BOMBS if args.only in f"{one.family} {one.name}"]
    inputs: Iterator[tuple[Bomb, Hostile]] = (
        drawn(args.count, args.seed, bombs)
        if args.count
        else ((one, one.make(random.Random(args.seed), one.size)) for one in bombs)
    )
    warm()
    begin, number, bad, gave_up = time.perf_counter(), 0, 0, 0
    cpu = peak = (0.0, "nothing")
    for number, (bomb, hostile) in enumerate(inputs, 1):
        found = ended(hostile, args.seconds, args.megabytes)
        name = f"{bomb.family}: {bomb.name}"
        cpu, peak = max(cpu, (found.cpu, name)), max(peak, (found.peak, name))
        bad += bool(found.complaint)
        gave_up += bool(found.gave_up)
        if found.complaint or found.gave_up or args.verbose:
            print(
                f"{name} (input {number}): {found.cpu:.2f} CPU s, {found.peak:.0f} MB, exit {found.code} "
                f"{found.complaint} {found.gave_up[:200]}".rstrip(),
                flush=True,
            )
    wall = time.perf_counter() - begin
    print(
        f"{number} inputs of {len(bombs)} kinds in {wall:.0f} s: {bad} beyond {args.seconds} CPU s or "
        f"{args.megabytes} MB; {gave_up} gave something up; at most {cpu[0]:.2f} CPU s ({cpu[1]}), "
        f"{peak[0]:.0f} MB ({peak[1]})"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
