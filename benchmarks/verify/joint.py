"""The joint report in docs/fixes.md: three models of two libraries, what was predicted beside what a run saw.

pip install -e '.[test-dynamic]' transformers==5.23.0 diffusers==0.42.1
python -m benchmarks.verify.joint             # 1 if docs/fixes.md shows anything else; times are not compared
python -m benchmarks.verify.joint --update    # and write it
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "fixes.md"
MODELS = ("transformers:LongformerModel", "transformers:ReformerModel", "diffusers:UNet2DConditionModel")
BEGIN, END = "<!-- joint:begin -->\n", "<!-- joint:end -->"


def block(python: str, search: Sequence[str]) -> str:
    """What `compilelint verify` prints of the models, as a block of Markdown; notes and findings of no run left out."""
    shown = ["verify", *MODELS, "--repeats", "1", "--quiet"]
    where = [word for folder in search for word in ("--path", folder)]
    command = [sys.executable, "-m", "compilelint", *shown, "--isolated", "--python", python, *where]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    lines = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    return f"```\n$ compilelint {' '.join(shown)}\n{lines}\n```\n"


def without_times(text: str) -> list[str]:
    """The words of a block, with every time alike, whatever its width."""
    return re.sub(r"\d+\.\d+ s|─+", "N", text).split()


def main(argv: Sequence[str] | None = None) -> int:
    """0 if the page is, or now is, up to date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--python", default=sys.executable, help="interpreter with torch and the two libraries")
    parser.add_argument("--path", action="append", default=[], help="folder with the libraries, if not installed there")
    given = parser.parse_args(argv)
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    old, after = rest.split(END, 1)
    new = block(given.python, given.path)
    if given.update:
        PAGE.write_text(before + BEGIN + new + END + after, encoding="utf-8")
        return 0
    if without_times(old) == without_times(new):
        return 0
    print(f"docs/fixes.md is out of date; run `python -m benchmarks.verify.joint --update`\n\n{new}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
