"""Applies the deliberate faults one at a time, in a copy of the repository, and runs the tests that must see them."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence

from benchmarks.faults import fixes, interp, others
from benchmarks.faults.fault import Fault
from benchmarks.faults.jury import ROOT, SOURCE, jury

FAULTS = (*interp.FAULTS, *fixes.FAULTS, *others.FAULTS)


def stale(fault: Fault) -> str:
    """What is wrong with a fault as data; empty where its text occurs exactly once."""
    path = ROOT / SOURCE / fault.path
    if not path.is_file():
        return f"{fault.path}: no such file"
    count = path.read_text(encoding="utf-8").count(fault.text)
    if count != 1:
        return f"{fault.path}: {count} times {fault.text!r}"
    return "" if (ROOT / fault.tests).is_dir() else f"{fault.path}: no folder {fault.tests}"


def wanted(names: Sequence[str], number: int | None = None) -> Iterator[Fault]:
    """The faults in the files or folders named, and of one round; all where none is."""
    for fault in FAULTS:
        named = any(fault.path == name or fault.path.startswith(f"{name.rstrip('/')}/") for name in names)
        if (named or not names) and number in (None, fault.round):
            yield fault


def main(arguments: Sequence[str] | None = None) -> int:
    """Apply each fault alone; 1 if one is missed or its text is gone."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults")
    parser.add_argument("names", nargs="*", metavar="PATH", help="files or folders below src/compilelint")
    parser.add_argument("--round", type=int, metavar="N", help="only those that were chosen in one round")
    parser.add_argument("--check", action="store_true", help="only look whether every text occurs exactly once")
    given = parser.parse_args(arguments)
    faults = list(wanted(given.names, given.round))
    gone = [text for text in map(stale, faults) if text]
    for text in gone:
        print(text)
    if given.check or gone:
        print(f"{len(faults) - len(gone)} of {len(faults)} faults can be applied")
        return 1 if gone else 0
    missed = 0
    with jury({fault.tests for fault in faults}) as asked:
        for fault in faults:
            began = time.perf_counter()
            whole = (ROOT / SOURCE / fault.path).read_text(encoding="utf-8")
            caught = not asked.survives(fault.path, whole.replace(fault.text, fault.instead).encode())
            missed += not caught
            word, took = "caught" if caught else "MISSED", time.perf_counter() - began
            print(f"{word} {took:6.1f} s  {fault.path}: {fault.why}", flush=True)
    print(f"{len(faults) - missed} of {len(faults)} faults caught by the tests of their folder")
    return 1 if missed else 0
