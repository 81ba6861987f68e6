"""Reproducers on trial: does the script show, by itself, the id that the program shows, and in how few lines?

    python -m benchmarks.reproducers                       the breaking programs of `benchmarks.agents`
    python -m benchmarks.reproducers --targets FILE        lines `FOLDER TARGET [INPUTS]`, factories as for `verify`
    python -m benchmarks.reproducers --trials 100 --seconds 60

The program is run under `TORCH_LOGS` without compilelint, so is the script, in an empty folder, and their logs are
compared. A script counts where an id of the program's is in its log and it has at most forty lines of code; a program
that shows none is left out. Needs torch. Exit code 1 where fewer than four fifths count.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.agents.judge import PROGRAMS, names
from benchmarks.measuring import COMPILELINT

MOST_LINES = 40
_BAR = 0.8
_LONG = 300.0
_ALONE = """
import importlib, sys, torch
sys.path.insert(0, "")
def named(word):
    module, _, name = word.partition(":")
    return getattr(importlib.import_module(module), name)
torch.manual_seed(0)
made = named(sys.argv[1])()
model, inputs = made if isinstance(made, tuple) else (made, named(sys.argv[2])())
model.eval() if hasattr(model, "eval") else None
compiled = torch.compile(model, backend="eager")
inputs = inputs[0][0] if isinstance(inputs, list) else inputs
for _ in range(3):
    compiled(**inputs) if isinstance(inputs, dict) else compiled(*inputs)
"""


class Case(NamedTuple):
    """A target and what makes its inputs (empty where the target gives them), in a folder."""

    folder: Path
    target: str
    inputs: str = ""


class Result(NamedTuple):
    """The ids in the two logs, the script's lines of code, and what is in the way where it does not count."""

    case: Case
    program: frozenset[str]
    script: frozenset[str]
    lines: int
    why: str

    @property
    def counts(self) -> bool:
        """Whether the script shows an id of the program's in few lines."""
        return not self.why


def main(argv: Sequence[str] | None = None) -> int:
    """Try each case; 1 where too few count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", type=Path, metavar="FILE")
    parser.add_argument("--trials", type=int, default=150, metavar="N")
    parser.add_argument("--seconds", type=float, default=60.0)
    args = parser.parse_args(argv)
    cases = [Case(PROGRAMS, f"{name}:build", f"{name}:sample") for name in names()]
    if args.targets:
        rows = (line.split() for line in args.targets.read_text(encoding="utf-8").splitlines() if line.strip())
        cases = [Case(Path(folder), *rest) for folder, *rest in rows]
    found = []
    for case in cases:
        one = tried(case, args.trials, args.seconds)
        print(_words(one), flush=True)
        if one.program:
            found.append(one)
    number = sum(one.counts for one in found)
    print(f"{number} of {len(found)} scripts show an id of the program's in at most {MOST_LINES} lines")
    return int(number < _BAR * len(found))


def tried(case: Case, trials: int, seconds: float) -> Result:
    """Run the program, make its script, and run that."""
    with tempfile.TemporaryDirectory() as scratch:
        script = os.path.join(scratch, "script.py")
        of_program = ids_in(_log([sys.executable, "-c", _ALONE, case.target, case.inputs], case.folder))
        words = ["reproduce", case.target, "-q", "--output", script, f"--trials={trials}", f"--seconds={seconds}"]
        words += [f"--input={case.inputs}"] if case.inputs else []
        said = _log([*COMPILELINT, *words], case.folder)
        if not os.path.exists(script):
            return Result(case, of_program, frozenset(), 0, said.strip().rpartition("\n")[2][-200:] or "no script")
        lines = code_lines(Path(script).read_text(encoding="utf-8"))
        of_script = ids_in(_log([sys.executable, script], scratch))
        why = "" if of_script & of_program else "another id" if of_script else "the script shows none"
        return Result(case, of_program, of_script, lines, why or ("" if lines <= MOST_LINES else "too long"))


def _log(command: Sequence[str], folder: str | Path) -> str:
    """What a command writes to standard error, with torch's logs of breaks and recompiles in it."""
    environment = {**os.environ, "TORCH_LOGS": "graph_breaks,recompiles"}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_LONG,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return (error.stderr or b"").decode("utf-8", "replace")
    return done.stderr.decode("utf-8", "replace")


def ids_in(log: str) -> frozenset[str]:
    """The ids of breaks in a log, and `recompile` where a frame is compiled again."""
    found = {f"GB{one}" for one in re.findall(r"/gb/gb(\d{4,6})\.html", log)}
    return frozenset(found | ({"recompile"} if "[__recompiles] Recompiling function" in log else set()))


def code_lines(text: str) -> int:
    """The lines of a script that hold code, without comments, docstrings and blank lines."""
    docs = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return sum(
        bool(line.strip()) and not line.lstrip().startswith("#") and number not in docs
        for number, line in enumerate(text.splitlines(), 1)
    )


def _words(one: Result) -> str:
    shown = f"{', '.join(sorted(one.script)) or 'nothing'} in {one.lines} lines"
    end = (
        "" if one.counts else f": NOT counted, {one.why} (the program shows {', '.join(sorted(one.program)) or 'none'})"
    )
    return f"{one.case.target}: {shown}{end}"


if __name__ == "__main__":
    sys.exit(main())
