"""Switches by which frameworks compile a model: what the real framework compiles against what compilelint resolves.

python -m benchmarks.frameworks PYTHON    # the interpreter that has torch, transformers, accelerate and lightning
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))
RECORD = Path(__file__).with_name("record.py")


def recorded(python: str, program: Path) -> dict[str, Any]:
    """What Dynamo compiled, and where it broke, when the program ran."""
    done = subprocess.run([python, str(RECORD), str(program)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{program.name} does not run under {python}:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def predicted(python: str, program: Path) -> dict[str, Any]:
    """What compilelint says of the program, with the frameworks' sources at hand."""
    command = [sys.executable, "-m", "compilelint", "check", str(program), "--no-cache", "--exit-zero", "--quiet"]
    command += ["--torch-version", "2.13", "--python", python, "--roots", "explicit", "--output", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    breaks = {one["line"] for one in report["findings"] if "graph-break" in one["effects"]}
    roots = {root for one in report["findings"] for root in one["roots"]}
    return {"functions": sorted(roots), "breaks": sorted(breaks), "judged": report["judged"]}


def main(python: str) -> int:
    """Print the table; 1 where a line differs."""
    print(
        "| program | lines at which the framework's model breaks | found | compile calls resolved |\n|---|---|---|---|"
    )
    wrong = 0
    for program in PROGRAMS:
        real, found = recorded(python, program), predicted(python, program)
        calls = found["judged"]["compile_calls"]["resolved"]
        wrong += real["breaks"] != found["breaks"]
        print(f"| {program.stem} | {real['breaks']} | {found['breaks']} | {calls} |")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
