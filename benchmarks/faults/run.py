"""Applies the deliberate faults one at a time, in a copy of the repository, and runs the tests that must see them."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.faults import fixes, interp, others
from benchmarks.faults.fault import Fault

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path("src", "compilelint")
FAULTS = (*interp.FAULTS, *fixes.FAULTS, *others.FAULTS)
NOT_COPIED = shutil.ignore_patterns(".git", ".venv*", ".*_cache", ".benchmark-cache", ".hypothesis", "__pycache__")
_SECONDS = 600


def stale(fault: Fault) -> str:
    """What is wrong with a fault as data; empty where its text occurs exactly once."""
    path = ROOT / SOURCE / fault.path
    if not path.is_file():
        return f"{fault.path}: no such file"
    count = path.read_text(encoding="utf-8").count(fault.text)
    if count != 1:
        return f"{fault.path}: {count} times {fault.text!r}"
    return "" if (ROOT / fault.tests).is_dir() else f"{fault.path}: no folder {fault.tests}"


def is_caught(fault: Fault, copy: Path) -> bool:
    """Whether a quick test of the folder fails with the fault. Raises RuntimeError where the tests did not run."""
    path = copy / SOURCE / fault.path
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace(fault.text, fault.instead), encoding="utf-8")
    _forget_compiled(path)
    try:
        return not passes(fault.tests, copy)
    finally:
        path.write_text(whole, encoding="utf-8")
        _forget_compiled(path)


def passes(folder: str, copy: Path) -> bool:
    """Whether the quick tests of a folder pass, stopped at the first that fails. Raises RuntimeError as above."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(copy / "src"), str(copy)))}
    quick = ["-x", "-p", "no:cacheprovider", "-m", "not slow and not dynamo"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *quick, folder],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{folder} did not run: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 0


def _forget_compiled(path: Path) -> None:
    """Two texts of one size and second would share their byte code."""
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        compiled.unlink()


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
    with tempfile.TemporaryDirectory(prefix="faults-") as temporary:
        copy = Path(temporary, "copy")
        shutil.copytree(ROOT, copy, ignore=NOT_COPIED, symlinks=True)
        for folder in dict.fromkeys(fault.tests for fault in faults):
            if not passes(folder, copy):
                print(f"{folder} fails without any fault")
                return 1
        for fault in faults:
            began = time.perf_counter()
            caught = is_caught(fault, copy)
            missed += not caught
            word, took = "caught" if caught else "MISSED", time.perf_counter() - began
            print(f"{word} {took:6.1f} s  {fault.path}: {fault.why}", flush=True)
    print(f"{len(faults) - missed} of {len(faults)} faults caught by the tests of their folder")
    return 1 if missed else 0
