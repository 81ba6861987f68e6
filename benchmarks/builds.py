"""Whether the report is the same, byte for byte, whatever Python runs the lint: a build, or a torch that is beside it.

    python -m benchmarks.builds PYTHON ... --linted PATH ... --update

Each PYTHON has what compilelint needs; one may have torch 2.13, another 2.15, a third none, or a compiled build. All
look up imports in the environment of the first (`--python`), since what lies in an environment is a part of what is
linted, and predict for one version of torch. Without `--linted` these are the small cases. Exits with 1 where the
reports differ.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import TORCH
from benchmarks.reproduce import ROOT, SMALL_CASES, replaced, table_of

PAGE = ROOT / "benchmarks" / "speed.md"
_SAYS = """
import importlib.metadata as m, sys
from compilelint.interp.core import frame
try:
    torch = m.version("torch")
except m.PackageNotFoundError:
    torch = "none"
print(sys.version.split()[0], torch, "source" if frame.__file__.endswith(".py") else "compiled", sep="|")
"""


class Build(NamedTuple):
    """What ran a lint: its Python, the torch beside it, whether compilelint is compiled; and the hash of its report."""

    python: str
    torch: str
    code: str
    report: str


def builds(pythons: Sequence[str], linted: Sequence[Path], scratch: Path) -> list[Build]:
    """Lint the same under each Python. Raises CalledProcessError where one cannot."""
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
    found = []
    for python in pythons:
        out = scratch / "report.json"
        options = ["--roots", "all", "--torch-version", TORCH, "--python", pythons[0], "--no-cache", "--exit-zero"]
        command = [python, "-m", "compilelint", "check", *map(str, linted), *options, "--output", f"json:{out}"]
        environment = {**os.environ, "PYTHONPATH": path}
        said = subprocess.run([python, "-c", _SAYS], env=environment, capture_output=True, text=True, check=True)
        subprocess.run(command, env=environment, capture_output=True, check=True)
        report = hashlib.sha256(out.read_bytes()).hexdigest()[:12]
        version, torch, code = said.stdout.strip().split("|")
        found.append(Build(version, torch, code, report))
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Lint under each Python, print the table; 1 if the reports differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="+", metavar="PYTHON")
    parser.add_argument("--linted", type=Path, nargs="+", default=[SMALL_CASES])
    parser.add_argument("--update", action="store_true", help="write the table into benchmarks/speed.md")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        found = builds(args.pythons, args.linted, Path(folder))
    table = table_of(["Python", "torch beside it", "compilelint", "report"], [list(one) for one in found])
    print(table)
    if args.update:
        PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), "builds", table), encoding="utf-8")
    return 1 if len({one.report for one in found}) > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
