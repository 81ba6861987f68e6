"""Does the wheel install where no compiler is, and the sdist where one may be? One command for several Pythons.

    python -m benchmarks.installs PYTHON ...     by default the one that runs this

Builds both files as a release would, then for each Python and each file: an environment of its own, `pip install`,
`compilelint --version`, and a lint of `fixtures/demo`, whose findings must be the same everywhere. For the wheel every
package has to come as a wheel too, and programs are found in the environment's own folder alone, so that nothing can be
compiled. Prints a table, and ends with 1 where something fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reproduce import ROOT, table_of

DEMO = ROOT / "fixtures" / "demo"


@dataclass(frozen=True)
class Install:
    """One file in one environment: what each step printed; `fault` is empty where all went well."""

    python: str
    file: str
    version: str = ""
    findings: tuple[str, ...] = ()
    fault: str = ""


def built(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist of this checkout. Raises CalledProcessError."""
    built_in = folder / "build"
    _run([sys.executable, "-m", "venv", str(built_in)])
    _run([str(_program(built_in, "python")), "-m", "pip", "install", "--quiet", "build"])
    _run([str(_program(built_in, "python")), "-m", "build", "--outdir", str(folder / "dist"), str(ROOT)])
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    return wheel, sdist


def installed(python: str, file: Path, environment: Path) -> Install:
    """Install a file in a new environment of that Python, and use it."""
    wheel = file.suffix == ".whl"
    version = ""
    try:
        _run([python, "-m", "venv", str(environment)])
        version = _run([str(_program(environment, "python")), "--version"]).strip()
        only = ["--only-binary", ":all:"] if wheel else []
        only_here = {"PATH": str(_program(environment, "python").parent)} if wheel else {}
        _run([str(_program(environment, "python")), "-m", "pip", "install", "--quiet", *only, str(file)], only_here)
        command = str(_program(environment, "compilelint"))
        said = _run([command, "--version"]).strip()
        report = environment / "report.json"
        _run([command, "check", str(DEMO), "--no-cache", "--output", f"json:{report}", "--exit-zero"])
        found = json.loads(report.read_text(encoding="utf-8"))["findings"]
    except subprocess.CalledProcessError as error:
        return Install(version or python, file.name, fault=f"{error.cmd[-1]}: {error.stderr[-300:]}".replace("\n", " "))
    lines = tuple(sorted(f"{Path(one['path']).name}:{one['line']} {one['rule']}" for one in found))
    return Install(version, file.name, said, lines)


def faults(installs: Sequence[Install]) -> list[str]:
    """What is wrong: a step that failed, or findings that are not those of the first install."""
    wrong = [f"{one.python}, {one.file}: {one.fault}" for one in installs if one.fault]
    whole = [one for one in installs if not one.fault]
    wrong += [f"{one.python}, {one.file}: no findings in the demo" for one in whole if not one.findings]
    wrong += [f"{one.python}, {one.file}: other findings" for one in whole if one.findings != whole[0].findings]
    return wrong


def table(installs: Sequence[Install]) -> str:
    """A row for each install."""
    rows = [[one.python, one.file, one.version or one.fault, str(len(one.findings))] for one in installs]
    return table_of(["Python", "file", "`compilelint --version`", "findings in the demo"], rows)


def _program(environment: Path, name: str) -> Path:
    """A program of an environment."""
    return environment / "Scripts" / f"{name}.exe" if os.name == "nt" else environment / "bin" / name


def _run(command: Sequence[str], variables: dict[str, str] | None = None) -> str:
    """What a command prints. No configuration of Python reaches it. Raises CalledProcessError."""
    around = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    given = {**around, **(variables or {})}
    nothing = subprocess.DEVNULL
    return subprocess.run(command, env=given, capture_output=True, text=True, check=True, stdin=nothing).stdout


def main(argv: Sequence[str] | None = None) -> int:
    """Build, install, use; 1 where something failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON", help="interpreters to try")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = built(folder)
        installs = [
            installed(python, file, folder / f"environment{number}{file.suffix}")
            for number, python in enumerate(args.pythons)
            for file in files
        ]
    wrong = faults(installs)
    print(table(installs), *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
