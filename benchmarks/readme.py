"""The real finding that README.md shows, held against the tool.

python -m benchmarks.readme            # 1 if README.md is out of date; fetches the sources of transformers once
python -m benchmarks.readme --update   # and write it
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.reproduce import PINS
from compilelint.config import Options
from compilelint.report.formats.full import render as full
from compilelint.session.commands.lint import lint

README = Path(__file__).parent.parent / "README.md"
SITE = README.parent / "build" / "readme"
MODEL = "transformers/models/switch_transformers/modeling_switch_transformers.py"
_COLUMNS = 100


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


def with_finding(text: str, finding: str) -> str:
    """The README's text with the finding between its marks."""
    begin, end = "<!-- model:begin -->\n", "<!-- model:end -->"
    before, rest = text.split(begin, 1)
    return before + begin + finding + end + rest.split(end, 1)[1]


def main(arguments: list[str]) -> int:
    """0 if the README is, or now is, up to date."""
    parser = argparse.ArgumentParser(prog="benchmarks.readme")
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args(arguments)
    text = README.read_text(encoding="utf-8")
    wanted = with_finding(text, model_finding())
    if given.update:
        README.write_text(wanted, encoding="utf-8")
        return 0
    if text == wanted:
        return 0
    print("README.md is out of date; run `python -m benchmarks.readme --update`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
