"""What fixes make of five small files of our own, each an idiom of published code: the diffs of `docs/diffs.md`.

    python -m benchmarks.fixes.examples            prints the page
    python -m benchmarks.fixes.examples --write    writes it

The files stand in `fixtures/fixes`, formatted as its `ruff.toml` says, and what is made of them is formatted too.
"""

from __future__ import annotations

import argparse
import ast
from dataclasses import dataclass
from pathlib import Path

from compilelint.config import Options
from compilelint.model import Confidence
from compilelint.session.commands.fix import Fixed, fix, unified
from compilelint.session.fixing.explain import messages

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "fixtures" / "fixes"
PAGE = ROOT / "docs" / "diffs.md"
_HEAD = """# Five diffs

What `compilelint check --roots all --min-confidence possible --fix` makes of five small files, each with an idiom of
published models: unsafe fixes with `--unsafe-fixes` where noted. The files are formatted before and afterwards, their
comments stay, and the imports are in place. Below each diff are the commit messages of `--commit-message`.
`python -m benchmarks.fixes.examples --write` writes this page, and a test compares it with what the fixes make today.
[Fix and prove](fixes.md) says what a fix may change.
"""


@dataclass(frozen=True)
class Example:
    """One file and what fixes made of it: `fixed` all of them, `safe` those that need no `--unsafe-fixes`."""

    path: Path
    fixed: Fixed
    safe: Fixed

    @property
    def text(self) -> str:
        """The file as it is after all fixes."""
        return next(iter(self.fixed.texts.values()))[1]


def examples() -> list[Example]:
    """All files with what fixes make of them, in the order of their names."""
    found = []
    for path in sorted(FOLDER.glob("*.py")):
        options = Options(
            (str(path),), roots=("all",), torch_version="2.13", min_confidence=Confidence.POSSIBLE, no_cache=True
        )
        found.append(Example(path, fix(options, unsafe=True), fix(options, unsafe=False)))
    return found


def page() -> str:
    """The page as Markdown."""
    return "\n".join([_HEAD, *map(_section, examples())])


def _section(example: Example) -> str:
    about = ast.get_docstring(ast.parse(example.path.read_text(encoding="utf-8")))
    every, safe = example.fixed.applied.total(), example.safe.applied.total()
    kinds = "safe" if safe == every else "unsafe" if not safe else f"{safe} safe, {every - safe} unsafe"
    codes = ", ".join(sorted(example.fixed.applied))
    name = example.path.relative_to(ROOT).as_posix()
    diff = unified(example.fixed, lambda _: name)
    said = messages(example.fixed.made, "2.13", lambda _: name)
    return (
        f"## {name}\n\n{about} {every} {'fix' if every == 1 else 'fixes'} of {codes}: {kinds}.\n\n```diff\n{diff}```\n"
        + "".join(f"\n```text\n{one}```\n" for one in said)
    )


def main() -> None:
    """Print the page, or write it."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--write", action="store_true")
    if asked.parse_args().write:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page(), end="")


if __name__ == "__main__":
    main()
