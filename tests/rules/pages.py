"""The rule pages as programs: their Bad, Good and Run with code, and the lines that a page marks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from compilelint.model import Rule
from compilelint.rulebook import Page

_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Program:
    """The code of one page."""

    code: str
    bad: str
    good: str
    run: str

    @property
    def measured(self) -> bool:
        """Whether Run with measures an effect of its own, instead of counting the ends of graphs."""
        return "measured" in self.run or self.counted

    @property
    def counted(self) -> bool:
        """Whether Run with says how many versions several calls compile, and which guard fails first."""
        return "versions = " in self.run

    @property
    def needs_gpu(self) -> bool:
        """Whether only a GPU can run it: such a page is measured by hand and says where."""
        return "needs_gpu = True" in self.run

    @property
    def marked(self) -> frozenset[int]:
        """The lines of `bad` (counted from 1) that end in `# CODE`."""
        lines = enumerate(self.bad.splitlines(), 1)
        return frozenset(number for number, line in lines if line.endswith(f"# {self.code}"))


def program_of(page: Page) -> Program:
    """The program of a page; each section holds exactly one Python block, else ValueError names the page."""
    blocks = {heading: _BLOCK.findall(page.sections[heading] + "\n") for heading in ("Bad", "Good", "Run with")}
    for heading, found in blocks.items():
        if len(found) != 1:
            raise ValueError(f"{page.path}: section {heading!r} holds {len(found)} Python blocks, wanted 1")
    return Program(page.code, blocks["Bad"][0], blocks["Good"][0], blocks["Run with"][0])


def written(program: Program, folder: Path) -> tuple[Path, Path]:
    """`bad.py` and `good.py` of a page in a folder of its own, so that both have real lines."""
    place = folder / program.code.lower()
    place.mkdir(parents=True, exist_ok=True)
    bad, good = place / "bad.py", place / "good.py"
    bad.write_text(program.bad, encoding="utf-8")
    good.write_text(program.good, encoding="utf-8")
    return bad, good


def file_name(rule: Rule) -> str:
    """The page of a rule."""
    return f"{rule.code}-{rule.name}.md"
