"""Hostile inputs by the thousand: bombs of all sizes and what Hypothesis draws, many in one process.

    python -m benchmarks.volume                    20,000 inputs: all bombs at full size, 2,000 small ones, others drawn
    python -m benchmarks.volume --inputs 500 --seed 3
    python -m benchmarks.volume --full 0           without the full bombs, which `benchmarks.bombs` runs

Small ones come first, so that what fails fails early. Bounds: 10 CPU seconds and 1 GB each (`benchmarks.bounded`).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence

from benchmarks import fuzz
from benchmarks.bombs import BOMBS
from benchmarks.bounded import CPU_SECONDS, MEGABYTES, Ending, Hostile, ended, ended_each, warm

_BATCH = 100
_A_DRAW = 200  # examples of one seed


def main(argv: Sequence[str] | None = None) -> int:
    """Run them; 1 if any went beyond its bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=20_000, metavar="N")
    parser.add_argument("--full", type=int, default=len(BOMBS), metavar="N", help="bombs at full size among them")
    parser.add_argument("--small", type=int, default=2_000, metavar="N", help="bombs of 1/256 to 1/8 of it among them")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    warm()
    begin = time.perf_counter()
    whole = Tally()
    drawn = max(0, args.inputs - args.small - args.full)
    for name, batch in batches(drawn, args.small, args.seed):
        for hostile, ending in zip(batch, ended_each(batch), strict=True):
            whole.add(name, hostile, ending)
        if whole.count % 1000 == 0:
            print(f"{whole.count} after {time.perf_counter() - begin:.0f} s: {whole}", flush=True)
    for number, bomb in enumerate(BOMBS[: args.full]):
        hostile = bomb.make(random.Random(f"{args.seed}/{number}"), bomb.size)
        whole.add(f"{bomb.family}: {bomb.name}", hostile, ended(hostile))
    print(f"{whole.count} inputs in {time.perf_counter() - begin:.0f} s: {whole}")
    return 1 if whole.bad else 0


def batches(drawn: int, small: int, seed: int) -> Iterator[tuple[str, list[Hostile]]]:
    """Inputs in lots for one process, each lot with the name of what it is of: first the small bombs."""
    names = []
    bombs = []
    for number in range(small):
        bomb = BOMBS[number % len(BOMBS)]
        chance = random.Random(f"{seed}/{number}")
        bombs.append(bomb.make(chance, max(1, int(bomb.size * 2 ** chance.uniform(-8, -3)))))
        names.append(bomb.name)
        if len(bombs) == _BATCH or number == small - 1:
            yield f"bombs from {names[0]} to {names[-1]}", bombs
            names, bombs = [], []
    done = 0
    while done < drawn:
        for name in fuzz.TARGETS:
            count = min(_A_DRAW, drawn - done)
            inputs: list[Hostile] = []
            if count:
                fuzz.run(name, inputs.append, count, seed)
            for start in range(0, len(inputs[:count]), _BATCH):
                yield name, inputs[start : min(count, start + _BATCH)]
            done += len(inputs[:count])
        seed += 1


class Tally:
    """How many there were, how many went too far or gave something up, and the most that one took, with its name."""

    def __init__(self) -> None:
        self.count = self.bad = self.gave_up = 0
        self.cpu = self.peak = (0.0, "nothing")

    def add(self, name: str, hostile: Hostile, ending: Ending) -> None:
        """Count one; what went too far is printed whole, what gave something up by its name."""
        self.count += 1
        self.cpu = max(self.cpu, (ending.cpu, name))
        self.peak = max(self.peak, (ending.peak, name))
        if ending.gave_up:
            self.gave_up += 1
            print(f"{name}: gave up after {ending.cpu:.2f} CPU s: {ending.gave_up[:200]}", flush=True)
        if ending.complaint:
            self.bad += 1
            files = {path: text[:2000] for path, text in list(hostile.files.items())[:3]}
            print(f"{name}: {ending.complaint}\n{files!r} {hostile.arguments}", flush=True)

    def __str__(self) -> str:
        return (
            f"{self.bad} beyond {CPU_SECONDS} CPU s or {MEGABYTES} MB, or not ended well; {self.gave_up} gave "
            f"something up; at most {self.cpu[0]:.2f} CPU s ({self.cpu[1]}), {self.peak[0]:.0f} MB ({self.peak[1]})"
        )


if __name__ == "__main__":
    sys.exit(main())
