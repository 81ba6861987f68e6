"""TorchFix and its rules as a pack, on TorchFix's own cases: the findings side by side, and the time of each.

The cases are TorchFix's and are not part of this repository: name a clone of https://github.com/pytorch-labs/torchfix.
TorchFix itself is run from the clone, by a Python that has LibCST and PyYAML, in one process over all files, as its
own tests do.

    python -m benchmarks.torchfix CLONE [--python PYTHON] [--also FOLDER]

Compared are file, line and code: of several findings of one rule on one line compilelint reports the first, and of an
expression in parentheses TorchFix names the parenthesis; how many columns differ is said.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from compilelint.config import Options
from compilelint.model import Confidence
from compilelint.session.commands.lint import lint

PACK = Path(__file__).parent.parent / "examples" / "rule-packs" / "torchfix_rules.py"

# In TorchFix's environment: every file once, the time without imports, and what is found.
_THEIRS = """
import json, sys, time
from torchfix.torchfix import TorchChecker
began, found = time.process_time(), []
for path in json.load(sys.stdin):
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    try:
        found += [[path, line, column, text.split(" ")[0]] for line, column, text, _ in TorchChecker(None, lines).run()]
    except Exception as error:
        print(f"TorchFix fails on {path}: {type(error).__name__}", file=sys.stderr)
json.dump([time.process_time() - began, found], sys.stdout)
"""

Found = set[tuple[str, int, int, str]]


def theirs(python: str, clone: str, files: list[str]) -> tuple[float, Found]:
    """What TorchFix finds, and its CPU seconds."""
    done = subprocess.run(
        [python, "-c", _THEIRS],
        input=json.dumps(files),
        capture_output=True,
        text=True,
        check=True,
        timeout=3600,
        env={**os.environ, "PYTHONPATH": os.path.abspath(clone)},
    )
    sys.stderr.write(done.stderr)
    seconds, found = json.loads(done.stdout)
    return seconds, {(path, line, column, code) for path, line, column, code in found}


def ours(files: list[str]) -> tuple[float, Found]:
    """What the pack finds, and the CPU seconds of the whole lint, with those rules alone."""
    options = Options(tuple(files), packs=(str(PACK),), select=("TOR",), min_confidence=Confidence.POSSIBLE)
    lint(Options((str(PACK),), packs=(str(PACK),)))  # imports, which are not counted for TorchFix either
    began = time.process_time()
    report = lint(options)
    seconds = time.process_time() - began
    return seconds, {
        (one.location.path, one.location.span.line, one.location.span.column, one.rule.code) for one in report.findings
    }


def main(arguments: list[str]) -> int:
    """Print the comparison; 1 where the pack lacks a finding on TorchFix's cases."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torchfix", description=__doc__)
    parser.add_argument("clone")
    parser.add_argument("--python", default=sys.executable, help="a Python with LibCST and PyYAML")
    parser.add_argument("--also", help="a folder of other files to compare on")
    given = parser.parse_args(arguments)
    cases = sorted(str(path.resolve()) for path in Path(given.clone, "tests", "fixtures").rglob("*.py"))
    differs = _compared("TorchFix's cases", given.python, given.clone, cases)
    if given.also:
        _compared(
            given.also,
            given.python,
            given.clone,
            sorted(str(path.resolve()) for path in Path(given.also).rglob("*.py")),
        )
    return 1 if differs else 0


def _compared(name: str, python: str, clone: str, files: list[str]) -> bool:
    their_seconds, their = theirs(python, clone, files)
    our_seconds, our = ours(files)
    print(f"{name}: {len(files):,} files")
    print(f"TorchFix {len(their):,} findings in {their_seconds:.2f} CPU s")
    print(f"the pack {len(our):,} findings in {our_seconds:.2f} CPU s")
    lines = {(path, line, code) for path, line, _, code in their}, {(path, line, code) for path, line, _, code in our}
    places = [(path, line, code) for path, line, _, code in our - their if (path, line, code) in lines[0]]
    print(f"on {len(lines[0]):,} and {len(lines[1]):,} lines, {len(places)} of the shared ones in another column")
    for who, left in (("only TorchFix", lines[0] - lines[1]), ("only the pack", lines[1] - lines[0])):
        print(f"{who}: {len(left)}")
        for path, line, code in sorted(left)[:40]:
            print(f"  {path}:{line} {code}")
    return bool(lines[0] - lines[1])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
