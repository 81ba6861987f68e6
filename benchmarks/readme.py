"""What README.md and docs/findings.md show, held against the tool.

python -m benchmarks.readme            # 1 if either is out of date; fetches the sources of transformers once
python -m benchmarks.readme --update   # and write both

README.md shows a file of ten lines and what the tool prints of it, command by command; the last of them run it, so they
need torch. docs/findings.md shows a real model. The table of accuracy in README.md and docs/accuracy.md is made
of rows of benchmarks/accuracy.md.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.reproduce import PINS
from compilelint.config import Options
from compilelint.report.formats.full import render as full
from compilelint.session.commands.lint import lint

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
FINDINGS = ROOT / "docs" / "findings.md"
ACCURACY = ROOT / "docs" / "accuracy.md"
MEASURED = ROOT / "benchmarks" / "accuracy.md"
SITE = ROOT / "build" / "readme"
MODEL = "transformers/models/switch_transformers/modeling_switch_transformers.py"
_COLUMNS = 100
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SESSION = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


class Row(NamedTuple):
    """A row of the table of accuracy: its name, and the rows of benchmarks/accuracy.md that it sums up."""

    words: str
    heading: str
    begins: tuple[str, ...]


_FIRST = ("| first lint, read half |", "| first lint, held out |")
ROWS = (
    Row(
        "15 packages from PyPI, first lint",
        "### What objects hold, on fifteen packages that were not read",
        ("| fifteen, held, after |",),
    ),
    Row("11 packages from PyPI, first lint", "### Eleven packages, held", ("| eleven, held, first lint |",)),
    Row("18 packages from PyPI, first lint", "### Strangers' code, read and unread", _FIRST),
    Row("22 packages from PyPI, first lint", "### Twenty-two more", _FIRST),
    Row("508 programs from PyTorch's issues, first lint", "### Programs of PyTorch's issues", _FIRST),
    Row("transformers, the half not tuned on", "## One file at a time", ("| held out |",)),
    Row("transformers and diffusers, tuned on", "## Latest run", ("| transformers, diffusers |",)),
)


# ------------------------------------------------------------- a file of ten lines


def own_file(readme: str) -> str:
    """The file that the README begins with."""
    found = re.search(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def console(readme: str) -> list[tuple[str, str]]:
    """Command and output of everything that the README shows in a terminal, in order."""
    return [(one[1], one[2]) for block in _CONSOLE.findall(readme) for one in _SESSION.finditer(block)]


def sessions(commands: Iterable[str], file: str) -> Iterator[str]:
    """What each command prints in a terminal, one after the other in a folder that holds the file alone."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "net.py").write_text(file, encoding="utf-8")
        for command in commands:
            yield normal(_printed(command, folder))


def normal(text: str) -> str:
    """What is printed, without what another machine prints otherwise: where torch is, its build, times."""
    text = re.sub(r"compilelint: .* still in phase .*\n", "", text)
    text = re.sub(r"for torch [\d.+a-z]+ \([^)]*\)", "for torch 2.13.0 (installed in .venv)", text)
    return "".join(f"{line.rstrip()}\n" for line in re.sub(r"\b\d+\.\d s\b", "0.4 s", text).splitlines())


def _printed(command: str, folder: str) -> str:
    """What a command prints, both streams together."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMPILELINT", "VIRTUAL_ENV"))}
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(
        words,
        cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode("utf-8").replace("\r\n", "\n")


def with_sessions(readme: str, printed: Iterable[str]) -> str:
    """The README with what its commands print now."""
    texts = iter(printed)

    def again(block: re.Match[str]) -> str:
        return "```console\n" + _SESSION.sub(lambda one: f"$ {one[1]}\n{next(texts)}", block[1]) + "```"

    return _CONSOLE.sub(again, readme)


# ---------------------------------------------------------------------- accuracy


def accuracy_table(measured: str) -> str:
    """How right it is, from the rows of benchmarks/accuracy.md, unseen code first."""
    lines = ["| code | of what it reports, right | of the breaks, found |", "|---|---|---|"]
    for row in ROWS:
        right, found = _shares(measured, row)
        lines.append(f"| {row.words} | {right} | {found} |")
    return "\n".join(lines) + "\n"


def _shares(measured: str, row: Row) -> tuple[str, str]:
    """Precision and recall of a row, in percent: of counts where it sums up several."""
    lines = measured.split(f"\n{row.heading}\n", 1)[1].splitlines()
    found = []
    for begins in row.begins:
        at = next(number for number, line in enumerate(lines) if line.startswith(begins))
        head = next(line for line in reversed(lines[:at]) if "| precision |" in line)
        found.append(dict(zip(map(str.strip, head.split("|")), map(str.strip, lines[at].split("|")), strict=True)))
    return _percent([cells["precision"] for cells in found]), _percent([cells["recall"] for cells in found])


def _percent(cells: Sequence[str]) -> str:
    """`91 % (117 of 129)` of cells like `0.905 (86 of 95)`; `97 %` of one like `0.971`."""
    counts = [(int(found[1]), int(found[2])) for cell in cells if (found := re.search(r"\((\d+) of (\d+)\)", cell))]
    if not counts:
        (cell,) = cells
        return f"{float(cell):.0%}".replace("%", " %")
    right, of = (sum(numbers) for numbers in zip(*counts, strict=True))
    return f"{right / of:.0%} ({right} of {of})".replace("%", " %")


# ------------------------------------------------------------------ a real model


def model_finding() -> str:
    """What is printed for a model of transformers, whose pinned sources are fetched where they are missing."""
    version = PINS["transformers"]
    if not (SITE / f"transformers-{version}.dist-info").is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(SITE)]
        subprocess.run([*pip, f"transformers=={version}"], check=True)
    with _folder(SITE):
        options = Options((MODEL,), select=("dynamic-shape",), torch_version="2.13", project=SITE.as_posix())
        text = full(lint(options), color=False, width=_COLUMNS, summary=True)
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"```\n$ compilelint {MODEL} --select dynamic-shape --torch-version 2.13\n{lines}\n```\n"


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


def with_part(text: str, name: str, part: str) -> str:
    """A page's text with a part between its marks."""
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    before, rest = text.split(begin, 1)
    return before + begin + part + end + rest.split(end, 1)[1]


def wanted() -> Iterator[tuple[Path, str]]:
    """Each page with the text that it should have."""
    table = accuracy_table(MEASURED.read_text(encoding="utf-8"))
    readme = with_part(README.read_text(encoding="utf-8"), "accuracy", table)
    yield README, with_sessions(readme, sessions((command for command, _ in console(readme)), own_file(readme)))
    yield ACCURACY, with_part(ACCURACY.read_text(encoding="utf-8"), "accuracy", table)
    yield FINDINGS, with_part(FINDINGS.read_text(encoding="utf-8"), "model", model_finding())


def main(arguments: list[str]) -> int:
    """0 if the pages are, or now are, up to date."""
    parser = argparse.ArgumentParser(prog="benchmarks.readme")
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args(arguments)
    stale = [(page, text) for page, text in wanted() if page.read_text(encoding="utf-8") != text]
    for page, text in stale:
        if given.update:
            page.write_text(text, encoding="utf-8")
        else:
            name = page.relative_to(ROOT)
            print(f"{name} is out of date; run `python -m benchmarks.readme --update`", file=sys.stderr)
    return 1 if stale and not given.update else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
