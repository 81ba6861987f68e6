"""Microsoft's SARIF validator on what compilelint writes, with the rules of GitHub's code scanning.

    python -m tests.report.validate_sarif            lint fixtures/ and validate
    python -m tests.report.validate_sarif FILE ...   validate these files

The validator exits with 0 whatever it finds, so its own report is read; anything but 0 errors and 0 warnings exits
with 1. It comes from npm, at the version named here, and is kept in `.venv-ci/node`.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from compilelint.model.site import REPOSITORY

ROOT = Path(__file__).parent.parent.parent
NODE = ROOT / ".venv-ci" / "node"
PACKAGE = "@microsoft/sarif-multitool"
VERSION = "5.7.0"
_ADDRESS = "Warning_ProvideToolnformationUri"  # asked of a tool that has a public home: accepted until there is one
SYSTEMS = {"Linux": "linux", "Darwin": "darwin", "Windows": "win32"}


def main(files: Sequence[str]) -> int:
    """Validate, print, and return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        given = [Path(file) for file in files] or [_linted(Path(folder) / "fixtures.sarif")]
        multitool = _multitool()
        counts = [_validated(multitool, file, Path(folder)) for file in given]
    for file, found in zip(given, counts, strict=True):
        print(f"{file.name}: {found['error']} errors, {found['warning']} warnings")  # noqa: T201
    return int(any(found["error"] + found["warning"] for found in counts))


def _linted(file: Path) -> Path:
    """The fixtures' findings as SARIF. Raises CalledProcessError where linting fails."""
    command = [sys.executable, "-m", "compilelint", "check", "fixtures", "--exit-zero", "--output", f"sarif:{file}"]
    subprocess.run([*command, "--min-confidence", "possible"], cwd=ROOT, check=True)
    return file


def _multitool() -> Path:
    """The validator's program, installed if it is not there. Exits where there is no npm to install it with."""
    system = SYSTEMS[platform.system()]
    program = (
        NODE / "node_modules" / f"{PACKAGE}-{system}" / ("Sarif.Multitool" + (".exe" if system == "win32" else ""))
    )
    if not program.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise SystemExit("npm is not there, and the SARIF validator comes from it; run: apt-get install -y npm")
        NODE.mkdir(parents=True, exist_ok=True)
        wanted = f"{PACKAGE}@{VERSION}"
        subprocess.run([npm, "install", "--no-audit", "--no-fund", "--prefix", str(NODE), wanted], check=True)
    program.chmod(program.stat().st_mode | 0o111)  # the package forgets it
    return program


def _validated(multitool: Path, file: Path, folder: Path) -> Counter[str]:
    """How many results of each level the validator has. Exits where it did not look at the file."""
    report = folder / f"{file.stem}-validated.sarif"
    command = [str(multitool), "validate", str(file), "--rule-kind", "Sarif;Ghas", "--max-file-size-in-kb", "1000000"]
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}  # else it asks for libicu
    done = subprocess.run(
        [*command, "--output", str(report), "--log", "ForceOverwrite"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode or not report.exists():
        raise SystemExit(f"the SARIF validator failed on {file}:\n{done.stdout}{done.stderr}")
    (run,) = json.loads(report.read_text(encoding="utf-8-sig"))["runs"]
    if not run["invocations"][0]["executionSuccessful"] or "1 files scanned" not in done.stdout:
        raise SystemExit(f"the SARIF validator did not look at {file}:\n{done.stdout}{done.stderr}")
    results = [one for one in run.get("results", []) if REPOSITORY or one["message"].get("id") != _ADDRESS]
    for one in results:
        if one.get("level", "warning") in ("error", "warning"):
            print(f"{one['ruleId']}: {one['message']}", file=sys.stderr)  # noqa: T201
    return Counter(one.get("level", "warning") for one in results)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
