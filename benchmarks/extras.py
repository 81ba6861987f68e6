"""Does every extra do its job as a user installs it? Each in a clean environment, from the built wheel.

    python -m benchmarks.extras [--python PYTHON] [EXTRA ...]     by default all, with the Python that runs this
    python -m benchmarks.extras --lowest [EXTRA ...]              with the oldest packages that the wheel asks for

Builds the wheel, makes an environment for each extra with the wheel and exactly that extra (and torch where the extra
asks for it), and does its main job on real input (`extras_jobs`). An extra that is asked for beside one that it needs
is added to that one's environment when the other's job is done, as users add it: torch is installed once. Prints a
table, and ends with 1 where a job failed.
pip finds torch as it is configured: the build for the processor alone is much the smaller.
"""

from __future__ import annotations

import argparse
import email
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

from benchmarks import extras_jobs
from benchmarks.extras_jobs import ROOT, Place, WrongError

TORCH = "torch==2.13.0"


@dataclass(frozen=True)
class Extra:
    """What is installed, and the job that shows that it works; `onto` names the extra that it is added to."""

    extras: str
    job: Callable[[Place], str]
    more: tuple[str, ...] = ()
    onto: str = ""


EXTRAS = {
    "dynamic": Extra("[dynamic]", extras_jobs.verifies, (TORCH,)),
    "cluster": Extra("[dynamic,cluster]", extras_jobs.runs_on_a_cluster, (TORCH,), onto="dynamic"),
    "none": Extra("", extras_jobs.lints),
    "lsp": Extra("[lsp]", extras_jobs.serves_an_editor),
    "mcp": Extra("[mcp]", extras_jobs.serves_an_agent),
    "watch": Extra("[watch]", extras_jobs.lints_again),
}


@dataclass(frozen=True)
class Done:
    """What came of one extra; `fault` is empty where its job was done."""

    extra: str
    installed: str
    said: str
    seconds: float
    fault: str = ""


def built(folder: Path) -> Path:
    """The wheel of this checkout. Raises CalledProcessError."""
    _pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    (wheel,) = folder.glob("compilelint-*.whl")
    return wheel


def lowest(wheel: Path) -> str:
    """Constraints that hold every package to the oldest version that the wheel allows; torch is pinned already.

    `attrs` and `anyio` are left to pip: pygls and mcp ask for newer ones than the wheel does by itself.
    """
    with zipfile.ZipFile(wheel) as files:
        (name,) = [one for one in files.namelist() if one.endswith(".dist-info/METADATA")]
        asked = email.message_from_bytes(files.read(name)).get_all("Requires-Dist", [])
    needs = [one for one in map(Requirement, asked) if one.name not in ("torch", "attrs", "anyio")]
    bounds = [(one, spec.version) for one in needs for spec in one.specifier if spec.operator == ">="]
    return "".join(
        f"{one.name}=={version}\n"
        for one, version in bounds
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *EXTRAS))
    )


def chains(names: Sequence[str]) -> list[list[str]]:
    """The extras that share an environment, in the order in which they are installed."""
    found = {name: [name] for name in names if EXTRAS[name].onto not in names}
    for name in names:
        if name not in found:
            found[EXTRAS[name].onto].append(name)
    return list(found.values())


def tried(names: Sequence[str], python: str, wheel: Path, folder: Path, constraints: str = "") -> list[Done]:
    """Install extras one after the other in an environment of their own, and do the job of each."""
    place = Place(folder / "environment", folder / "work")
    place.folder.mkdir(parents=True)
    held = folder / "constraints.txt"
    held.write_text(constraints, encoding="utf-8")
    found = []
    for name in names:
        extra = EXTRAS[name]
        started = time.monotonic()
        said, fault = _used(extra, place, python, wheel, held)
        what = " ".join([*extra.more, f"compilelint{extra.extras}"])
        found.append(Done(name, what, said, time.monotonic() - started, fault))
    shutil.rmtree(place.environment, ignore_errors=True)  # torch is large
    return found


def _used(extra: Extra, place: Place, python: str, wheel: Path, held: Path) -> tuple[str, str]:
    """What the job of an extra says once it is installed, or what is at fault."""
    try:
        if not place.environment.exists():
            subprocess.run([python, "-m", "venv", str(place.environment)], check=True, capture_output=True, text=True)
        _pip(place.program("python"), "install", "--constraint", str(held), *extra.more, f"{wheel}{extra.extras}")
        return extra.job(place), ""
    except subprocess.CalledProcessError as error:
        return "", f"`{' '.join(map(str, error.cmd))}`: {' '.join((error.stderr or '')[-600:].split())}"
    except subprocess.TimeoutExpired as error:
        return "", f"`{' '.join(map(str, error.cmd))}` takes more than {error.timeout:g} s"
    except (WrongError, OSError, KeyError, ValueError) as error:  # a report that is not there, or of another form
        return "", str(error) if isinstance(error, WrongError) else repr(error)


def table(found: Sequence[Done]) -> str:
    """A row for each extra."""
    rows = [("extra", "pip install", "its job", "seconds"), ("---",) * 4]
    rows += [
        (one.extra, f"`{one.installed}`", f"**failed**: {one.fault}" if one.fault else one.said, f"{one.seconds:.0f}")
        for one in found
    ]
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows)


def _pip(python: str, *words: str) -> None:
    command = [python, "-m", "pip", *words, "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        command,
        env=extras_jobs.surroundings(),
        check=True,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Build, install and use; 1 where a job failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("extras", nargs="*", choices=[[], *EXTRAS], metavar="EXTRA", help=", ".join(EXTRAS))
    parser.add_argument("--python", default=sys.executable, metavar="PYTHON", help="the interpreter to try")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="environments at a time [default: 2]")
    parser.add_argument("--lowest", action="store_true", help="install the oldest packages that are allowed")
    args = parser.parse_args(argv)
    names = args.extras or list(EXTRAS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = built(folder)
        with ThreadPoolExecutor(args.jobs) as pool:
            held = lowest(wheel) if args.lowest else ""
            tries = pool.map(lambda some: tried(some, args.python, wheel, folder / some[0], held), chains(names))
            found = [one for done in tries for one in done]
    print(table(found))
    return 1 if any(one.fault for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
